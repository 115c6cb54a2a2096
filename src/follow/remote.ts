import { type Address, addressWriter } from '../bytes/address.ts';
import { formatHex, parseHex } from '../bytes/hex.ts';
import { type Id, idOf, idText, parseId } from '../bytes/id.ts';
import { maxU64 } from '../bytes/octets.ts';
import type { TxStatus } from '../chain/chain.ts';
import { maxBytes } from '../codec/pack.ts';
import { Fault } from '../fault.ts';
import { type Block, parseBlock } from '../tx/block.ts';
import { parseTx, type Tx } from '../tx/tx.ts';
import { parseUtxo, type Utxo } from '../tx/utxo.ts';
import { FollowError, nonsense } from './fault.ts';
import { type CallLimits, createRpc, type RpcDeps } from './rpc.ts';

/** An AvalancheGo or Serac node as it can be asked. Every answer is checked; each call is tried once. Timeouts are in milliseconds. */
export type Remote = {
  readonly url: string;
  readonly networkID: () => Promise<number>;
  readonly blockchainID: (alias: string) => Promise<Id>;
  readonly height: (timeout?: number) => Promise<bigint>;
  /** An accepted block; undefined if the node has none there. That it follows the one before is for others to see. */
  readonly blockAt: (height: bigint) => Promise<Block | undefined>;
  readonly tx: (id: Id, timeout?: number) => Promise<Tx | undefined>;
  readonly txStatus: (id: Id, timeout?: number) => Promise<TxStatus>;
  readonly utxos: (query: UtxoQuery) => Promise<UtxoPage>;
  /** The bytes of a transaction of the P- or C-Chain, undefined if the chain does not know it. */
  readonly foreignTx: (chain: ForeignChain, id: Id) => Promise<Uint8Array | undefined>;
  /** A fault FOLLOW_REFUSED has the node's own words. */
  readonly issueTx: (bytes: Uint8Array, timeout?: number) => Promise<Id>;
  /** The same for one that may depend on others still waiting. */
  readonly issueInTurn: (bytes: Uint8Array, timeout?: number) => Promise<Id>;
  /** Ends what is under way. */
  readonly close: () => void;
};

export type ForeignChain = 'P' | 'C';

export type UtxoQuery = {
  /** Which chain's service is asked: X for its own outputs, P or C for what X exported to them. */
  readonly of: 'X' | ForeignChain;
  readonly address: Address;
  readonly after: UtxoCursor | undefined;
};

/** Where a page ended, in the node's own words. */
export type UtxoCursor = { readonly address: string; readonly utxo: string };

/** `next` is undefined on the last page. */
export type UtxoPage = { readonly utxos: readonly Utxo[]; readonly next: UtxoCursor | undefined };

export type RemoteOptions = RpcDeps & {
  readonly hrp: string;
  /** How the node calls the chain in its paths. */
  readonly chain?: string;
};

/** AvalancheGo knows the first and the last only. */
const statuses: readonly TxStatus[] = ['Accepted', 'Processing', 'Rejected', 'Unknown'];

const pageSize = 1024;
const maxU32 = 0xffffffffn;

/** The codec's limit as hex with a checksum, and what stands around it. */
const maxThing = 2 * (maxBytes + 4) + 4096;
/** The largest transaction that ever was is that of a genesis. */
const maxAnyTx = 8 * 1024 * 1024;
const maxPage = 32 * 1024 * 1024;

export function connectRemote(url: string, { hrp, chain = 'X', ...deps }: RemoteOptions): Remote {
  const rpc = createRpc(url, deps);
  const x = `/ext/bc/${chain}`;
  const wallet = `${x}/wallet`;
  const write = { X: addressWriter(chain, hrp), P: addressWriter('P', hrp), C: addressWriter('C', hrp) };

  const issue = async (path: string, method: string, bytes: Uint8Array, timeout?: number): Promise<Id> => {
    const { txID } = await rpc.call(path, method, { tx: formatHex('hex', bytes), encoding: 'hex' }, limitsOf(timeout));
    const got = read(method, 'txID', txID, parseId);
    if (got !== idOf(bytes)) throw nonsense(method, `it took the transaction for ${idText(got)}, which is ${idText(idOf(bytes))}`);
    return got;
  };

  return {
    url,
    networkID: async () => {
      const method = 'info.getNetworkID';
      const { networkID } = await rpc.call('/ext/info', method, {});
      return Number(read(method, 'networkID', networkID, (text) => numberOf(text, maxU32)));
    },
    blockchainID: async (alias) => {
      const method = 'info.getBlockchainID';
      const { blockchainID } = await rpc.call('/ext/info', method, { alias });
      return read(method, 'blockchainID', blockchainID, parseId);
    },
    height: async (timeout) => {
      const { height } = await rpc.call(x, 'avm.getHeight', {}, limitsOf(timeout));
      return read('avm.getHeight', 'height', height, (text) => numberOf(text, maxU64));
    },
    blockAt: async (height) => {
      const method = 'avm.getBlockByHeight';
      const answer = await orNothing(rpc.call(x, method, { height: String(height), encoding: 'hex' }, { bytes: maxThing }));
      if (answer === undefined) return undefined;
      const block = read(method, 'block', answer.block, (text) => parseBlock(parseHex('hex', text)));
      if (block.height !== height) throw nonsense(method, `asked for block ${height}, it gave block ${block.height}`);
      return block;
    },
    tx: async (id, timeout) => {
      const method = 'avm.getTx';
      const answer = await orNothing(rpc.call(x, method, { txID: idText(id), encoding: 'hex' }, { bytes: maxAnyTx, ...limitsOf(timeout) }));
      if (answer === undefined) return undefined;
      const tx = read(method, 'tx', answer.tx, (text) => parseTx(parseHex('hex', text), maxAnyTx));
      return sameId(method, id, tx.id, tx);
    },
    txStatus: async (id, timeout) => {
      const method = 'avm.getTxStatus';
      const { status } = await rpc.call(x, method, { txID: idText(id) }, limitsOf(timeout));
      return read(method, 'status', status, (text) => statuses.find((one) => one === text));
    },
    utxos: async ({ of, address, after }) => {
      const { path, method, source } = utxoServices(x)[of];
      const params = { addresses: [write[of](address)], limit: pageSize, encoding: 'hex', ...source, ...(after && { startIndex: after }) };
      const { utxos, endIndex } = await rpc.call(path, method, params, { bytes: maxPage });
      if (!Array.isArray(utxos) || utxos.length > pageSize) throw nonsense(method, 'utxos is no list, or a longer one than asked for');
      const page = utxos.map((text) => read(method, 'utxos', text, (hex) => parseUtxo(parseHex('hex', hex))));
      return { utxos: page, next: utxos.length < pageSize ? undefined : cursorOf(method, endIndex) };
    },
    foreignTx: async (chainName, id) => {
      const [path, method] = chainName === 'P' ? ['/ext/bc/P', 'platform.getTx'] : ['/ext/bc/C/avax', 'avax.getAtomicTx'];
      const answer = await orNothing(rpc.call(path, method, { txID: idText(id), encoding: 'hex' }, { bytes: maxThing }));
      if (answer === undefined) return undefined;
      const bytes = read(method, 'tx', answer.tx, (text) => parseHex('hex', text));
      return sameId(method, id, idOf(bytes), bytes);
    },
    issueTx: (bytes, timeout) => issue(x, 'avm.issueTx', bytes, timeout),
    issueInTurn: (bytes, timeout) => issue(wallet, 'wallet.issueTx', bytes, timeout),
    close: rpc.close,
  };
}

const limitsOf = (timeout: number | undefined): CallLimits => (timeout === undefined ? {} : { timeout });

const utxoServices = (x: string) => ({
  X: { path: x, method: 'avm.getUTXOs', source: {} },
  P: { path: '/ext/bc/P', method: 'platform.getUTXOs', source: { sourceChain: 'X' } },
  C: { path: '/ext/bc/C/avax', method: 'avax.getUTXOs', source: { sourceChain: 'X' } },
});

/** What the node does not have is nothing, not a failure. Its texts: `not found`, `couldn't get …: not found`, `could not find tx …`. */
async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FollowError && error.fault.code === 'FOLLOW_REFUSED' && /(not found|^could not find tx .*)$/.test(error.message))
      return undefined;
    throw error;
  }
}

/** A field that must be a text, and one that can be read. */
function read<T>(method: string, field: string, value: unknown, parse: (text: string) => T | undefined): T {
  if (typeof value !== 'string') throw nonsense(method, `${field} is no text`);
  const parsed = readable(method, field, value, parse);
  if (parsed === undefined) throw nonsense(method, `${field} is ${JSON.stringify(value.slice(0, 40))}`);
  return parsed;
}

function readable<T>(method: string, field: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof Fault) throw nonsense(method, `${field}: ${error.message}`);
    throw error;
  }
}

const numberOf = (text: string, max: bigint): bigint | undefined =>
  /^\d{1,20}$/.test(text) && BigInt(text) <= max ? BigInt(text) : undefined;

function sameId<T>(method: string, want: Id, got: Id, thing: T): T {
  if (got !== want) throw nonsense(method, `asked for ${idText(want)}, it gave ${idText(got)}`);
  return thing;
}

function cursorOf(method: string, endIndex: unknown): UtxoCursor {
  const { address, utxo } = (endIndex ?? {}) as { address?: unknown; utxo?: unknown };
  if (typeof address !== 'string' || typeof utxo !== 'string') throw nonsense(method, 'endIndex is no place in a list');
  return { address, utxo };
}
