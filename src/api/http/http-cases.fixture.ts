import { readFileSync } from 'node:fs';
import { zeroId } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { avmRows } from '../contract/avm-methods.ts';
import type { Encoding } from '../contract/kinds.ts';
import type { RpcOptions } from '../rpc/json-rpc.ts';
import { combineServices, createService, implement } from '../rpc/method.ts';
import type { HttpRequest } from './message.ts';
import { createRouter, type HttpRoute } from './router.ts';

/** For tests: a captured request and its response. Without `responseBody` only status and headers can be compared. */
export type HttpCase = {
  readonly name: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly bodyHex?: string;
  readonly bodyGen?: { readonly prefix: string; readonly repeat: string; readonly times: number; readonly suffix: string };
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody?: string;
};

export const httpCases: readonly HttpCase[] = JSON.parse(
  readFileSync(new URL('../../../vectors/http-cases.json', import.meta.url), 'utf8'),
).cases;

export function bodyOf({ body = '', bodyHex, bodyGen }: HttpCase): Uint8Array {
  if (bodyHex !== undefined) return Buffer.from(bodyHex, 'hex');
  if (bodyGen !== undefined) return Buffer.from(bodyGen.prefix + bodyGen.repeat.repeat(bodyGen.times) + bodyGen.suffix);
  return Buffer.from(body);
}

/** Creates a request. Header names become lower case and values are trimmed, as an HTTP parser does. */
export function createHttpRequest(
  target: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): HttpRequest {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const parsed = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  return { method, path, query, header: (name) => parsed.get(name) ?? null, body: async () => body };
}

export const strictOptions: RpcOptions = {
  differences: { batches: false, missingContentType: false, underscoreNames: false, errorData: false },
  onUnexpectedError: (error) => {
    throw error;
  },
  longWork,
};

const nodeID = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';

/** Captured results that depend on chain state; the test methods below return them. */
const capturedResult = (name: string) =>
  JSON.parse(httpCases.find((one) => one.name === name)?.responseBody ?? '{}').result as { block: string; encoding: Encoding };
const genesisBlocks = [capturedResult('getBlockByHeight without params'), capturedResult('getBlockByHeight params key in other case')];

const fail = (message: string): never => {
  throw new Fault(message, { code: 'TEST_FAILED' });
};

const testMethods = implement<Record<never, never>>()(avmRows, {
  getHeight: async () => ({ height: '6' }),
  getTxFee: async () => ({ txFee: '1000000', createAssetTxFee: '1000000' }),
  getBlockByHeight: async (_, args) =>
    args.height === 0n
      ? (genesisBlocks.find((block) => block.encoding === args.encoding) ?? fail('no such block'))
      : fail(`couldn't get block at height ${args.height}: not found`),
  getTx: (_, { txID }) => fail(txID === zeroId ? 'nil transaction ID' : 'not found'),
  getTxStatus: async () => ({ status: 'Unknown' }),
  getBlock: () => fail('not found'),
  getAssetDescription: () => fail('not found'),
  getBalance: () => fail('not found'),
  getAllBalances: () => fail('not found'),
  getUTXOs: () => fail('not found'),
  issueTx: { run: () => fail('not found'), needsWriter: true },
});

const x: HttpRoute = { services: combineServices(createService('avm', testMethods, {})) };
const wallet: HttpRoute = { services: combineServices(createService('wallet', { issueTx: testMethods.issueTx }, {})) };
const xChainPaths = ['/ext/bc/X', '/ext/bc/avm', '/ext/X', '/ext/avm', '/ext/bc/2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'];

export const testRoutes: ReadonlyMap<string, HttpRoute> = new Map([
  ...xChainPaths.flatMap((path): [string, HttpRoute][] => [
    [path, x],
    [`${path}/wallet`, wallet],
  ]),
  ['/ext/info', { services: combineServices(createService('info', {}, {})) }],
  ['/ext/P', { services: combineServices(createService('platform', {}, {})) }],
]);

export type TestRouterOptions = Partial<Parameters<typeof createRouter>[0]>;

export const createTestRouter = (options: TestRouterOptions = {}) =>
  createRouter({ routes: testRoutes, nodeID, allowedHosts: ['localhost'], allowedOrigins: ['*'], rpcOptions: strictOptions, ...options });

/** The headers of a response in the form of the captured ones. */
export const capturedHeaders = (headers: Readonly<Record<string, string>>, length: number): Record<string, string> => ({
  ...headers,
  ...('node-id' in headers && { 'node-id': headers['node-id'] === nodeID ? `\${nodeID}` : 'another' }),
  'content-length': `${length}`,
});
