import { blockJson, parseBlock } from '../../avm/tx/block.ts';
import { parseTx, type Tx, txJson } from '../../avm/tx/tx.ts';
import { formatHex, parseHex } from '../../base/bytes/hex.ts';
import { type Id, idText, parseId, zeroId } from '../../base/bytes/id.ts';
import { type Cache, createCache, textSize } from '../../base/cache/cache.ts';
import type { JsonContext } from '../../base/codec/codec.ts';
import { goStringFromBytes } from '../../base/codec/go-string.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import { Fault } from '../../base/fault.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { TxIssuer } from '../../chain/lifecycle/tx-issuer.ts';
import { avmRows } from '../contract/avm-methods.ts';
import type { Encoding } from '../contract/kinds.ts';
import type { JsonOf } from '../contract/views.ts';
import type { AddressFormat } from './address-format.ts';
import { type AvmBalanceReads, createBalanceJsonReader, readAllBalances } from './balance.ts';
import { AvmError } from './fault.ts';
import { createLongQueryRunner, type RunLongQuery } from './long-queries.ts';
import { implement } from './method.ts';
import { queryUtxos, type ReadUtxoPage } from './utxo-query.ts';
import { type RawJson, rawJson } from './write-json.ts';

/** What the CreateAssetTx of an asset declares. */
type AvmAssetMetadata = { readonly name: Uint8Array; readonly symbol: Uint8Array; readonly denomination: number };

/** Reads of the accepted state, in the writer process or in a reader process. */
export type AvmReads = AvmBalanceReads & {
  /** Changes with every commit: while it stays the same, the other functions return the same. Undefined if that is not known. */
  readonly version: () => number | undefined;
  readonly height: () => bigint;
  readonly blockAt: (height: bigint) => Uint8Array | undefined;
  readonly block: (id: Id) => Uint8Array | undefined;
  readonly txBytes: (id: Id) => Uint8Array | undefined;
  readonly hasTx: (id: Id) => boolean;
  readonly description: (assetID: Id) => AvmAssetMetadata | 'not-an-asset' | undefined;
  readonly utxos: ReadUtxoPage;
};

type AvmTxStatus = JsonOf<(typeof avmRows)['getTxStatus']['result']>;

export type AvmDeps = {
  readonly reads: AvmReads;
  readonly addressFormat: AddressFormat;
  readonly json: JsonContext;
  /** How the empty `txs` of block 0 and the empty `credentials` of genesis transactions are written; see `genesisLists` in differences.ts. */
  readonly emptyGenesisList: '[]' | 'null';
  readonly fees: { readonly txFee: bigint; readonly createAssetTxFee: bigint };
  /** IDs of the genesis assets by alias, for example `AVAX`. */
  readonly assetAliases: ReadonlyMap<string, Id>;
  /** Unix seconds. */
  readonly now: () => bigint;
  /** Lets other requests run while a long query is computed. */
  readonly longWork: LongWork;
  readonly issue: TxIssuer['issue'];
  /** Status of a transaction, including those not in the accepted state: in the mempool, in an undecided block, or rejected (then also why). */
  readonly explainStatus: (txID: Id) => Promise<AvmTxStatus>;
  /** Reads a transaction from before linearization. Undefined on chains that have none. */
  readonly preLinearizationTx?: ((txID: Id) => Promise<Pick<Tx, 'bytes'> | undefined>) | undefined;
};

type AvmContext = AvmDeps & {
  readonly runLongQuery: RunLongQuery;
  readonly balanceJson: ReturnType<typeof createBalanceJsonReader>;
  readonly renderedTexts: Cache<string, string>;
  /** Aliases of the genesis assets by ID: by the ID of the genesis transaction that creates them. */
  readonly assetNames: ReadonlyMap<Id, string>;
};

/** Adds the caches of this service to its dependencies: rendered transactions and balances. */
export function createAvmContext(deps: AvmDeps): AvmContext {
  const runLongQuery = createLongQueryRunner(deps.longWork);
  return {
    ...deps,
    runLongQuery,
    balanceJson: createBalanceJsonReader(deps.reads, runLongQuery),
    renderedTexts: createCache<string, string>('transactions', { size: textSize, version: deps.reads.epoch }),
    assetNames: new Map([...deps.assetAliases].map(([name, id]) => [id, name])),
  };
}

/** For results that depend on the parameters and the accepted state only. */
const isCacheable = () => true;

/** Handlers of the X-Chain and of every other AVM chain. AvalancheGo: vms/avm/service.go. */
export const avmMethods = implement<AvmContext>()(avmRows, {
  getAllBalances: async (deps, { address, includePartial }) => {
    const query = { address: parseOwner(address, deps.addressFormat), includePartial, now: deps.now() };
    const balances = await readAllBalances(deps.reads, query, deps.runLongQuery);
    return { balances: [...balances].map(([id, sum]) => ({ asset: deps.assetNames.get(id) ?? idText(id), balance: sum.toString() })) };
  },

  getAssetDescription: { run: async (deps, { assetID }) => renderAsset(resolveAssetID(assetID, deps), deps), isCacheable },

  getBalance: async (deps, { address, assetID, includePartial }) => {
    const owner = parseOwner(address, deps.addressFormat);
    return rawJson(await deps.balanceJson({ address: owner, assetID: resolveAssetID(assetID, deps), includePartial, now: deps.now() }));
  },

  getBlock: async (deps, params) => {
    const read = (): Uint8Array => {
      const bytes = deps.reads.block(params.blockID);
      if (bytes !== undefined) return bytes;
      throw blockNotFoundError(`couldn't get block with id ${idText(params.blockID)}: not found`, idText(params.blockID));
    };
    return { block: renderBlock(params.blockID, params.encoding, deps, read), encoding: params.encoding };
  },

  getBlockByHeight: async (deps, params) => {
    const read = (): Uint8Array => {
      const bytes = deps.reads.blockAt(params.height);
      if (bytes !== undefined) return bytes;
      throw blockNotFoundError(`couldn't get block at height ${params.height}: not found`, params.height.toString());
    };
    return { block: renderBlock(params.height, params.encoding, deps, read), encoding: params.encoding };
  },

  getHeight: { run: async ({ reads }) => ({ height: reads.height().toString() }), isCacheable },

  getTx: {
    run: async (deps, { txID, encoding }) => {
      if (txID === zeroId) throw nilTxIDError();
      const { preLinearizationTx, reads } = deps;
      const older = preLinearizationTx === undefined || reads.hasTx(txID) ? undefined : await preLinearizationTx(txID);
      return { tx: renderTx(txID, encoding, deps, older?.bytes), encoding };
    },
    isCacheable,
  },

  getTxFee: async ({ fees }) => ({ txFee: fees.txFee.toString(), createAssetTxFee: fees.createAssetTxFee.toString() }),

  getTxStatus: {
    run: async ({ explainStatus }, { txID }) => {
      if (txID === zeroId) throw nilTxIDError();
      return explainStatus(txID);
    },
    // Other states of a transaction change without a commit.
    isCacheable: (result) => (result as { status: string }).status === 'Accepted',
  },

  getUTXOs: { run: async ({ addressFormat, reads }, params) => queryUtxos(params, addressFormat, reads.utxos), isCacheable },

  issueTx: {
    run: async ({ issue }, params) => {
      const tx = parseTxText(params.tx, params.encoding);
      await issue(tx);
      return { txID: idText(tx.id) };
    },
    needsWriter: true,
  },
});

/** Parses a transaction from the text that `issueTx` takes. */
export function parseTxText(text: string, form: Encoding): Tx {
  return parseTx(decodeTxText(text, form));
}

function decodeTxText(text: string, form: Encoding): Uint8Array {
  try {
    return parseHex(form, text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new AvmError(`problem decoding transaction: ${error.message}`, { code: 'AVM_BAD_TX_TEXT', reason: error.message });
  }
}

/** JSON of an asset's metadata. Cached, since metadata never changes. */
const renderAsset = (id: Id, { reads, renderedTexts }: AvmContext): RawJson =>
  rawJson(renderedTexts.getOrMake(`asset ${id}`, () => assetJson(id, reads)));

function assetJson(id: Id, reads: AvmReads): string {
  const asset = reads.description(id);
  if (asset === undefined) throw notFoundError('asset', id);
  if (asset === 'not-an-asset') throw new AvmError("transaction doesn't create an asset", { code: 'AVM_NOT_AN_ASSET', txID: idText(id) });
  const { name, symbol, denomination } = asset;
  return `{"assetID":"${idText(id)}","name":${goStringFromBytes(name)},"symbol":${goStringFromBytes(symbol)},"denomination":"${denomination}"}`;
}

/** JSON or hex of an accepted transaction. Cached, since it never changes. Genesis transactions may exceed the size limit of issued ones. */
function renderTx(id: Id, form: Encoding, context: AvmContext, preLinearizationBytes?: Uint8Array): RawJson {
  const { reads, json, renderedTexts, assetNames, emptyGenesisList } = context;
  const bytes = (): Uint8Array => {
    const found = preLinearizationBytes ?? reads.txBytes(id);
    if (found === undefined) throw notFoundError('tx', id);
    return found;
  };
  const noCredentials = assetNames.has(id) ? emptyGenesisList : '[]';
  const make = () => (form === 'json' ? txJson(parseTx(bytes(), maxGenesisBytes), json, noCredentials) : `"${formatHex(form, bytes())}"`);
  return rawJson(renderedTexts.getOrMake(`${form} ${id}`, make));
}

/** JSON or hex of an accepted block. Cached, since a block is assembled and hashed again for each response otherwise. */
function renderBlock(
  block: Id | bigint,
  form: Encoding,
  { json, emptyGenesisList, renderedTexts }: AvmContext,
  read: () => Uint8Array,
): RawJson {
  const make = () => (form === 'json' ? blockJson(parseBlock(read()), json, emptyGenesisList) : `"${formatHex(form, read())}"`);
  return rawJson(renderedTexts.getOrMake(`block ${form} ${block}`, make));
}

function parseOwner(text: string, space: AddressFormat) {
  try {
    return space.parse(text);
  } catch (error) {
    if (!(error instanceof AvmError)) throw error;
    throw new AvmError(`problem parsing address '${text}': ${error.message}`, error.fault);
  }
}

/** Resolves an asset name: first as an alias, then as a CB58 ID. AvalancheGo: vms/avm/vm.go, lookupAssetID. */
function resolveAssetID(name: string, { assetAliases }: Pick<AvmDeps, 'assetAliases'>): Id {
  const aliasedID = assetAliases.get(name);
  if (aliasedID !== undefined) return aliasedID;
  try {
    return parseId(name);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new AvmError(`asset '${name}' not found`, { code: 'AVM_UNKNOWN_ASSET', name });
  }
}

const nilTxIDError = () => new AvmError('nil transaction ID', { code: 'AVM_NIL_TX_ID' });

export const notFoundError = (what: 'tx' | 'asset', id: Id) => new AvmError('not found', { code: 'AVM_NOT_FOUND', what, id: idText(id) });

const blockNotFoundError = (text: string, id: string) => new AvmError(text, { code: 'AVM_NOT_FOUND', what: 'block', id });
