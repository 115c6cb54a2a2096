import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { services } from '../src/api/contract/services.ts';
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
  const { parseOpenRPCDocument, validateOpenRPCDocument } = (await load('openrpc-checker')) as OpenRpcChecker;
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

describe.skipIf(!isInstalled)('@open-rpc/generator, with the command of docs/start/sdks.md', () => {
  const root = resolve(import.meta.dir, '..');
  // Below the package, so that the generated client finds the modules that it imports.
  const out = mkdtempSync(join(folder, 'generated-'));
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  const run = async (command: readonly string[]): Promise<string> => {
    const child = Bun.spawn([...command], { cwd: out, stdout: 'pipe', stderr: 'pipe' });
    const [text, errors, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
    if (code !== 0) throw new Error(text + errors);
    return text;
  };

  test('makes clients that compile with --strict and call the node, without edits', async () => {
    const page = readFileSync(join(root, 'docs/start/sdks.md'), 'utf8');
    const [, version, options = ''] = /^npx @open-rpc\/generator@(\S+) (generate .*)$/m.exec(page) ?? [];
    const generator = join(folder, 'node_modules/@open-rpc/generator');
    expect(JSON.parse(readFileSync(join(generator, 'package.json'), 'utf8')).version).toBe(version);
    const names = Object.keys(services);
    for (const name of names) {
      const here = options.replace('http://127.0.0.1:9650', node.url).replaceAll('avm', name).replace('-o .', `-o ${name}`);
      expect(await run([process.execPath, join(generator, 'build/cli.js'), ...here.split(' ')])).toContain('Done!');
    }

    const imports = names.map((name) => `import ${name}Client from './${name}/client/typescript/src/index.ts';`);
    writeFileSync(join(out, 'calls.ts'), `${imports.join('\n')}\n${callsOf(node.port)}`);
    const tsc = ['--ignoreConfig', '--strict', '--noEmit', '--skipLibCheck', '--allowImportingTsExtensions'];
    const target = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--types', ''];
    expect(await run([join(root, 'node_modules/.bin/tsc'), ...tsc, ...target, 'calls.ts'])).toBe('');
    expect(JSON.parse(await run([process.execPath, 'calls.ts']))).toEqual([
      { height: '1' },
      { status: 'Accepted' },
      expect.stringContaining("couldn't unmarshal an argument"),
      { networkID: '12345' },
      '0xa868',
      '1',
    ]);
  }, 120_000);
});

/** A program that uses generated clients: by name, by position, without optional parameters, and with an error. */
const callsOf = (port: number): string => `
const transport = (path: string) => ({ transport: { type: 'http' as const, host: '127.0.0.1', port: ${port}, path } });
const avm = new avmClient(transport('/ext/bc/X'));
const dev = new devClient(transport('/ext/dev'));
const refused = await avm.avm_getTxStatus('nonsense').catch((error: Error) => error.message);
const { height } = await dev.dev_mine();
console.log(JSON.stringify([
  await avm.avm_getHeight(),
  await avm.avm_getTxStatus('2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'),
  refused,
  await new infoClient(transport('/ext/info')).info_getNetworkID(),
  await new ethClient(transport('/ext/bc/C/rpc')).eth_chainId(),
  height,
]));
void [walletClient, healthClient, platformClient, avaxClient];
`;
