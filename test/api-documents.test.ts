import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, startProgram } from './program.ts';

/**
 * The documents of a running node pass the checkers that people use for them. The checkers are a package of their own; install them with
 * `npm ci` in test/api-documents.
 */
const folder = join(import.meta.dir, 'api-documents');
const isInstalled = existsSync(join(folder, 'node_modules'));
if (!isInstalled) process.stdout.write('skipped: the checkers of API documents are not installed; run npm ci in test/api-documents\n');

type OpenRpcChecker = {
  readonly parseOpenRPCDocument: (
    document: object,
    options: { readonly dereference: boolean },
  ) => Promise<{ readonly methods: readonly unknown[] }>;
  readonly validateOpenRPCDocument: (document: object) => true | { readonly message: string };
};

type Problem = {
  readonly ruleId: string;
  readonly severity: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
};
type OpenApiLinter = {
  readonly createConfig: (config: { readonly extends: readonly string[] }) => Promise<unknown>;
  readonly lintFromString: (options: { readonly source: string; readonly config: unknown }) => Promise<readonly Problem[]>;
};

let node: Program;
beforeAll(async () => {
  node = await startProgram();
});
afterAll(() => node.stop());

const load = (name: string): Promise<unknown> => import(Bun.resolveSync(name, folder));
const read = async (path: string): Promise<string> => (await fetch(`${node.url}${path}`)).text();

test.skipIf(!isInstalled)('OpenRPC: @open-rpc/schema-utils-js accepts it, with all references', async () => {
  const { parseOpenRPCDocument, validateOpenRPCDocument } = (await load('@open-rpc/schema-utils-js')) as OpenRpcChecker;
  const text = await read('/openrpc-json');
  const found = validateOpenRPCDocument(JSON.parse(text));
  expect(found === true ? '' : found.message).toBe('');
  expect((await parseOpenRPCDocument(JSON.parse(text), { dereference: true })).methods.length).toBeGreaterThan(80);
  // The checker refuses what it should.
  expect(validateOpenRPCDocument({ ...JSON.parse(text), methods: [{ name: 'x' }] })).not.toBe(true);
});

test.skipIf(!isInstalled)('OpenAPI: redocly lint has no complaint, with its recommended rules', async () => {
  const { createConfig, lintFromString } = (await load('@redocly/openapi-core')) as OpenApiLinter;
  const config = await createConfig({ extends: ['recommended'] });
  const lint = async (source: string): Promise<string[]> =>
    (await lintFromString({ source, config })).map(
      ({ ruleId, severity, message, location }) => `${severity} ${ruleId} at ${location[0]?.pointer}: ${message}`,
    );
  const text = await read('/api-json');
  expect(await lint(text)).toEqual([]);
  expect((await lint(text.replace('"operationId":', '"operationID":'))).length).toBeGreaterThan(0);
});

test('both documents name this server', async () => {
  const [openApi, openRpc] = [JSON.parse(await read('/api-json')), JSON.parse(await read('/openrpc-json'))];
  expect(openApi.servers).toEqual([{ url: node.url }]);
  for (const { servers } of openRpc.methods) expect(servers[0].url).toStartWith(`${node.url}/ext/`);
});
