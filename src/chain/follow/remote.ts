import { type Block, parseBlock } from '../../avm/tx/block.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { parseUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import { type Address, createAddressFormatter } from '../../base/bytes/address.ts';
import { formatHex, parseHex } from '../../base/bytes/hex.ts';
import { type Id, idOf, idText, parseId, zeroId } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { maxBytes } from '../../base/codec/pack.ts';
import { Fault } from '../../base/fault.ts';
import type { ExplainedStatus, TxStatus } from '../lifecycle/ledger.ts';
import { FollowError, invalidResponse } from './fault.ts';
import { type CallLimits, createRpc, type RpcDeps } from './rpc.ts';

/** Issuing transactions through another node. */
export type RemoteIssuer = {
  /** Issues a transaction. A FOLLOW_REFUSED error has the node's message. */
  readonly issueTx: (bytes: Uint8Array, timeout?: number) => Promise<Id>;
  /** The same through `wallet.issueTx`, for a transaction that may depend on pending ones. */
  readonly issueWalletTx: (bytes: Uint8Array, timeout?: number) => Promise<Id>;
};

/** The chain of another node. */
export type RemoteBlocks = {
  readonly networkID: () => Promise<number>;
  readonly blockchainID: (alias: string) => Promise<Id>;
  readonly height: (timeout?: number) => Promise<bigint>;
  /** The accepted block at a height; undefined if the node has none. Its parent is not checked. */
  readonly blockAt: (height: bigint) => Promise<Block | undefined>;
};

/** Client of an AvalancheGo or Serac node. Every response is validated; calls are not retried. Timeouts are in milliseconds. */
export type Remote = RemoteIssuer &
  RemoteBlocks & {
    readonly url: string;
    readonly tx: (id: Id, timeout?: number) => Promise<Tx | undefined>;
    readonly txStatus: (id: Id, timeout?: number) => Promise<ExplainedStatus>;
    readonly utxos: (query: RemoteUtxoQuery) => Promise<RemoteUtxoPage>;
    /** The bytes of an accepted transaction of the P- or C-Chain; undefined if the chain does not have it. */
    readonly foreignTx: (chain: ForeignChain, id: Id) => Promise<Uint8Array | undefined>;
    /** Aborts pending requests. */
    readonly close: () => void;
  };

export type ForeignChain = 'P' | 'C';

/** `X`: its own outputs. `X to P`: outputs that X exported to P and P has not imported. */
export type UtxoList = 'X' | `X to ${ForeignChain}` | `${ForeignChain} to X`;

export type RemoteUtxoQuery = {
  readonly list: UtxoList;
  readonly address: Address;
  readonly after: RemoteUtxoCursor | undefined;
};

/** The end of a page, as the node gave it. */
export type RemoteUtxoCursor = { readonly address: string; readonly utxo: string };

/** `next` is undefined on the last page. */
type RemoteUtxoPage = { readonly utxos: readonly Utxo[]; readonly next: RemoteUtxoCursor | undefined };

/** AvalancheGo returns the first and the last only. */
const statuses: readonly TxStatus[] = ['Accepted', 'Processing', 'Rejected', 'Unknown'];

const pageSize = 1024;
const maxU32 = 0xffffffffn;

/** Largest response with one block or transaction: the codec's limit as hex with a checksum, and the JSON around it. */
const maxObjectResponse = 2 * (maxBytes + 4) + 4096;
/** Largest response with any transaction: genesis transactions are larger than the codec's limit. */
const maxTxResponse = 8 * 1024 * 1024;
const maxPageResponse = 32 * 1024 * 1024;

export function connectRemote(
  url: string,
  {
    hrp,
    chain = 'X',
    ...deps
  }: RpcDeps & {
    readonly hrp: string;
    /** The chain's alias in the node's paths. */
    readonly chain?: string;
  },
): Remote {
  const rpc = createRpc(url, deps);
  const x = `/ext/bc/${chain}`;
  const wallet = `${x}/wallet`;
  const formatAddress = { X: createAddressFormatter(chain, hrp), P: createAddressFormatter('P', hrp), C: createAddressFormatter('C', hrp) };

  const issue = async (path: string, method: string, bytes: Uint8Array, timeout?: number): Promise<Id> => {
    const { txID } = await rpc.call(path, method, { tx: formatHex('hex', bytes), encoding: 'hex' }, toLimits(timeout));
    const got = parseField(method, 'txID', txID, parseId);
    if (got !== idOf(bytes)) throw invalidResponse(method, `it returned ${idText(got)} for the transaction ${idText(idOf(bytes))}`);
    return got;
  };

  return {
    url,
    networkID: async () => {
      const method = 'info.getNetworkID';
      const { networkID } = await rpc.call('/ext/info', method, {});
      return Number(parseField(method, 'networkID', networkID, (text) => parseNumber(text, maxU32)));
    },
    blockchainID: async (alias) => {
      const method = 'info.getBlockchainID';
      const { blockchainID } = await rpc.call('/ext/info', method, { alias });
      return parseField(method, 'blockchainID', blockchainID, parseId);
    },
    height: async (timeout) => {
      const { height } = await rpc.call(x, 'avm.getHeight', {}, toLimits(timeout));
      return parseField('avm.getHeight', 'height', height, (text) => parseNumber(text, maxU64));
    },
    blockAt: async (height) => {
      const method = 'avm.getBlockByHeight';
      const response = await undefinedIfNotFound(
        rpc.call(x, method, { height: String(height), encoding: 'hex' }, { bytes: maxObjectResponse }),
      );
      if (response === undefined) return undefined;
      const block = parseField(method, 'block', response.block, (text) => parseBlock(parseHex('hex', text)));
      if (block.height !== height) throw invalidResponse(method, `requested block ${height}, got block ${block.height}`);
      return block;
    },
    tx: async (id, timeout) => {
      // No transaction has this ID; AvalancheGo refuses it with an error of its own.
      if (id === zeroId) return undefined;
      const method = 'avm.getTx';
      const response = await undefinedIfNotFound(
        rpc.call(x, method, { txID: idText(id), encoding: 'hex' }, { bytes: maxTxResponse, ...toLimits(timeout) }),
      );
      if (response === undefined) return undefined;
      const tx = parseField(method, 'tx', response.tx, (text) => parseTx(parseHex('hex', text), maxTxResponse));
      return checkId(method, id, tx.id, tx);
    },
    txStatus: async (id, timeout) => {
      const method = 'avm.getTxStatus';
      const { status: text, reason } = await rpc.call(x, method, { txID: idText(id) }, toLimits(timeout));
      const status = parseField(method, 'status', text, (text) => statuses.find((one) => one === text));
      return { status, reason: typeof reason === 'string' ? reason : undefined };
    },
    utxos: async ({ list, address, after }) => {
      const { path, method, reader, source } = utxoEndpoints(x)[list];
      const params = {
        addresses: [formatAddress[reader](address)],
        limit: pageSize,
        encoding: 'hex',
        ...source,
        startIndex: after,
      };
      const { utxos, endIndex } = await rpc.call(path, method, params, { bytes: maxPageResponse });
      if (!Array.isArray(utxos) || utxos.length > pageSize)
        throw invalidResponse(method, 'utxos is not a list, or longer than the requested limit');
      const page = utxos.map((text) => parseField(method, 'utxos', text, (hex) => parseUtxo(parseHex('hex', hex))));
      return { utxos: page, next: utxos.length < pageSize ? undefined : parseCursor(method, endIndex) };
    },
    foreignTx: async (chainName, id) => {
      const [path, method] = chainName === 'P' ? ['/ext/bc/P', 'platform.getTx'] : ['/ext/bc/C/avax', 'avax.getAtomicTx'];
      const response = await undefinedIfNotFound(
        rpc.call(path, method, { txID: idText(id), encoding: 'hex' }, { bytes: maxObjectResponse }),
      );
      // The C-Chain also gives transactions that wait in its mempool and some that it found invalid. Only an accepted one has the height of its block.
      if (response === undefined || (chainName === 'C' && response.blockHeight === undefined)) return undefined;
      const bytes = parseField(method, 'tx', response.tx, (text) => parseHex('hex', text));
      return checkId(method, id, idOf(bytes), bytes);
    },
    issueTx: (bytes, timeout) => issue(x, 'avm.issueTx', bytes, timeout),
    issueWalletTx: (bytes, timeout) => issue(wallet, 'wallet.issueTx', bytes, timeout),
    close: rpc.close,
  };
}

const toLimits = (timeout: number | undefined): CallLimits => (timeout === undefined ? {} : { timeout });

/** The chain that reads its outputs, with its service. */
const utxoEndpoints = (x: string): { readonly [L in UtxoList]: UtxoEndpoint } => ({
  X: { reader: 'X', path: x, method: utxoMethods.X, source: {} },
  'X to P': { reader: 'P', path: '/ext/bc/P', method: utxoMethods['X to P'], source: { sourceChain: 'X' } },
  'X to C': { reader: 'C', path: '/ext/bc/C/avax', method: utxoMethods['X to C'], source: { sourceChain: 'X' } },
  'P to X': { reader: 'X', path: x, method: utxoMethods['P to X'], source: { sourceChain: 'P' } },
  'C to X': { reader: 'X', path: x, method: utxoMethods['C to X'], source: { sourceChain: 'C' } },
});

type UtxoEndpoint = {
  readonly reader: 'X' | ForeignChain;
  readonly path: string;
  readonly method: string;
  readonly source: { readonly sourceChain?: string };
};

export const utxoMethods: { readonly [L in UtxoList]: string } = {
  X: 'avm.getUTXOs',
  'X to P': 'platform.getUTXOs',
  'X to C': 'avax.getUTXOs',
  'P to X': 'avm.getUTXOs',
  'C to X': 'avm.getUTXOs',
};

/** Turns the node's "not found" errors into undefined. Their texts: `not found`, `couldn't get …: not found`, `could not find tx …`. */
async function undefinedIfNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof FollowError && error.fault.code === 'FOLLOW_REFUSED' && /(not found|^could not find tx .*)$/.test(error.message))
      return undefined;
    throw error;
  }
}

/** Parses a field that must be a string. `parse` returns undefined or throws a Fault for invalid text. */
function parseField<T>(method: string, field: string, value: unknown, parse: (text: string) => T | undefined): T {
  if (typeof value !== 'string') throw invalidResponse(method, `${field} is not a string`);
  const parsed = parseOrInvalid(method, field, value, parse);
  if (parsed === undefined) throw invalidResponse(method, `${field} is ${JSON.stringify(value.slice(0, 40))}`);
  return parsed;
}

function parseOrInvalid<T>(method: string, field: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof Fault) throw invalidResponse(method, `${field}: ${error.message}`);
    throw error;
  }
}

const parseNumber = (text: string, max: bigint): bigint | undefined =>
  /^\d{1,20}$/.test(text) && BigInt(text) <= max ? BigInt(text) : undefined;

function checkId<T>(method: string, want: Id, got: Id, value: T): T {
  if (got !== want) throw invalidResponse(method, `requested ${idText(want)}, got ${idText(got)}`);
  return value;
}

function parseCursor(method: string, endIndex: unknown): RemoteUtxoCursor {
  const { address, utxo } = (endIndex ?? {}) as { address?: unknown; utxo?: unknown };
  if (typeof address !== 'string' || typeof utxo !== 'string') throw invalidResponse(method, 'endIndex has no address and utxo');
  return { address, utxo };
}
