import { readFileSync } from 'node:fs';
import { zeroId } from '../bytes/id.ts';
import { Fault } from '../fault.ts';
import type { Mode } from '../rpc/envelope.ts';
import { methods, row, service, servicesOf } from '../rpc/method.ts';
import { bool, encoding, idParam, list, noParams, obj, str, u32, u64 } from '../rpc/params.ts';
import { longWork } from '../timing/long-work.fixture.ts';
import type { HttpRequest } from './message.ts';
import { createRouter, type Route, type RouterOptions } from './router.ts';

/** For tests: a captured request and its answer; without `responseBody` only the way to the method can be compared. */
export type Case = {
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

export const cases: readonly Case[] = JSON.parse(readFileSync(new URL('../../vectors/http-cases.json', import.meta.url), 'utf8')).cases;

export function bodyOf({ body = '', bodyHex, bodyGen }: Case): Uint8Array {
  if (bodyHex !== undefined) return Buffer.from(bodyHex, 'hex');
  if (bodyGen !== undefined) return Buffer.from(bodyGen.prefix + bodyGen.repeat.repeat(bodyGen.times) + bodyGen.suffix);
  return Buffer.from(body);
}

/** Names in lower case, values without outer blanks: what an HTTP parser makes of headers. */
export function requestOf(target: string, method: string, headers: Readonly<Record<string, string>>, body: Uint8Array): HttpRequest {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const seen = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  return { method, path, query, header: (name) => seen.get(name) ?? null, body: () => body };
}

export const strict: Mode = {
  differences: { batches: false, missingContentType: false, errorData: false },
  report: (error) => {
    throw error;
  },
  longWork,
};

const nodeID = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';

/** What the peer answered where the state of its chain shows: enough of a chain for these cases. */
const resultOf = (name: string) =>
  JSON.parse(cases.find((one) => one.name === name)?.responseBody ?? '{}').result as { block: string; encoding: string };
const genesisBlocks = [resultOf('getBlockByHeight without params'), resultOf('getBlockByHeight params key in other case')];

const fail = (message: string): never => {
  throw new Fault(message, { code: 'TEST_FAILED' });
};

const startIndex = obj({ address: str, utxo: str });

const avm = methods<Record<never, never>>()({
  getHeight: row(noParams, () => ({ height: '6' })),
  getTxFee: row(noParams, () => ({ txFee: '1000000', createAssetTxFee: '1000000' })),
  getBlockByHeight: row(obj({ height: u64, encoding }), (_, args) =>
    args.height === 0n
      ? (genesisBlocks.find((block) => block.encoding === args.encoding) ?? fail('no such block'))
      : fail(`couldn't get block at height ${args.height}: not found`),
  ),
  getTx: row(obj({ txID: idParam, encoding }), (_, { txID }) => fail(txID === zeroId ? 'nil transaction ID' : 'not found')),
  getTxStatus: row(obj({ txID: idParam }), () => ({ status: 'Unknown' })),
  getBlock: row(obj({ blockID: idParam, encoding }), () => fail('not found')),
  getAssetDescription: row(obj({ assetID: str }), () => fail('not found')),
  getBalance: row(obj({ address: str, assetID: str, includePartial: bool }), () => fail('not found')),
  getAllBalances: row(obj({ address: str, includePartial: bool }), () => fail('not found')),
  getUTXOs: row(obj({ addresses: list(str), sourceChain: str, limit: u32, startIndex, encoding }), () => fail('not found')),
  issueTx: row(obj({ tx: str, encoding }), () => fail('not found'), { writer: true }),
});

const x: Route = { services: servicesOf(service('avm', avm, {})) };
const wallet: Route = { services: servicesOf(service('wallet', { issueTx: avm.issueTx }, {})) };
const spellings = ['/ext/bc/X', '/ext/bc/avm', '/ext/X', '/ext/avm', '/ext/bc/2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'];

export const routes: ReadonlyMap<string, Route> = new Map([
  ...spellings.flatMap((path): [string, Route][] => [
    [path, x],
    [`${path}/wallet`, wallet],
  ]),
  ['/ext/info', { services: servicesOf(service('info', {}, {})) }],
  ['/ext/P', { services: servicesOf(service('platform', {}, {})) }],
]);

export const router = (options: Partial<RouterOptions> = {}) =>
  createRouter({ routes, nodeID, allowedHosts: ['localhost'], allowedOrigins: ['*'], mode: strict, ...options });

/** The headers of an answer as the captures have them. */
export const shownHeaders = (headers: Readonly<Record<string, string>>, length: number): Record<string, string> => ({
  ...headers,
  ...('node-id' in headers && { 'node-id': headers['node-id'] === nodeID ? `\${nodeID}` : 'another' }),
  'content-length': `${length}`,
});
