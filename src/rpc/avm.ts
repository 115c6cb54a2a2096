import { formatHex, parseHex } from '../bytes/hex.ts';
import { type Id, idText, parseId, zeroId } from '../bytes/id.ts';
import type { JsonContext } from '../codec/codec.ts';
import { goStringOf } from '../codec/go-string.ts';
import { maxGenesisBytes } from '../codec/pack.ts';
import { Fault } from '../fault.ts';
import type { LongWork } from '../timing/long-work.ts';
import { blockJson, parseBlock } from '../tx/block.ts';
import { parseTx, type Tx, txJson } from '../tx/tx.ts';
import type { AddressSpace } from './address-text.ts';
import { AvmError } from './avm-fault.ts';
import { allBalances, type BalanceReads, createBalanceOf } from './balance.ts';
import { createLongAnswers, type LongAnswers } from './long-answers.ts';
import { methods, row } from './method.ts';
import { bool, type Encoding, encoding, idParam, longStr, noParams, obj, str, u64 } from './params.ts';
import { createTextCache, type TextCache } from './response-text-cache.ts';
import { queryUtxos, type UtxoSource, utxoParams } from './utxo-query.ts';
import { type Json, raw } from './write-json.ts';

/** What an asset's creating transaction says of it. */
export type AssetDescription = { readonly name: Uint8Array; readonly symbol: Uint8Array; readonly denomination: number };

/** The accepted state as the methods read it, in the writing process or in a worker. */
export type AvmReads = BalanceReads & {
  readonly height: () => bigint;
  readonly blockAt: (height: bigint) => Uint8Array | undefined;
  readonly block: (id: Id) => Uint8Array | undefined;
  readonly txBytes: (id: Id) => Uint8Array | undefined;
  readonly hasTx: (id: Id) => boolean;
  readonly description: (assetID: Id) => AssetDescription | 'not-an-asset' | undefined;
  readonly utxos: UtxoSource;
};

export type AvmDeps = {
  readonly reads: AvmReads;
  readonly space: AddressSpace;
  readonly json: JsonContext;
  /** How `txs` of block 0 is written; see the differences. */
  readonly noTxs: '[]' | 'null';
  readonly fees: { readonly txFee: bigint; readonly createAssetTxFee: bigint };
  /** Names of genesis assets, `AVAX` first of all. */
  readonly assetAliases: ReadonlyMap<string, Id>;
  /** Unix seconds. */
  readonly now: () => bigint;
  /** Lets others have their turn while a long answer is made. */
  readonly longWork: LongWork;
  readonly issue: (tx: Tx) => void | Promise<void>;
  /** Beyond what the state tells: waiting, undecided, lost. */
  readonly status: (txID: Id) => string | Promise<string>;
  /** A transaction that is older than any block; undefined where there are none. */
  readonly olderTx?: ((txID: Id) => Promise<Pick<Tx, 'bytes'> | undefined>) | undefined;
};

export type AvmContext = AvmDeps & {
  readonly longAnswers: LongAnswers;
  readonly balanceOf: ReturnType<typeof createBalanceOf>;
  readonly shown: TextCache<string>;
  readonly assetNames: ReadonlyMap<Id, string>;
};

/** Deps with the memories of this service: rendered transactions and balances. */
export function avmContext(deps: AvmDeps): AvmContext {
  const longAnswers = createLongAnswers(deps.longWork);
  return {
    ...deps,
    longAnswers,
    balanceOf: createBalanceOf(deps.reads, longAnswers),
    shown: createTextCache<string>(8_000_000),
    assetNames: new Map([...deps.assetAliases].map(([name, id]) => [id, name])),
  };
}

export const txTextParams = obj({ tx: longStr, encoding });

/** Methods of the X-Chain, and of every chain of the AVM. Peer: vms/avm/service.go. */
export const avm = methods<AvmContext>()({
  getAllBalances: row(
    obj({ address: str, includePartial: bool }),
    (deps, { address, includePartial }) => {
      const query = { address: ownerOf(address, deps.space), partial: includePartial, now: deps.now() };
      const shown = (balances: ReadonlyMap<Id, bigint>) => ({
        balances: [...balances].map(([id, sum]) => ({ asset: deps.assetNames.get(id) ?? idText(id), balance: sum.toString() })),
      });
      const balances = allBalances(deps.reads, query, deps.longAnswers);
      return balances instanceof Promise ? balances.then(shown) : shown(balances);
    },
    { deprecated: '1.9.12' },
  ),

  getAssetDescription: row(obj({ assetID: str }), (deps, { assetID }) => shownAsset(assetNamed(assetID, deps), deps)),

  getBalance: row(
    obj({ address: str, assetID: str, includePartial: bool }),
    (deps, { address, assetID, includePartial }) => {
      const query = { address: ownerOf(address, deps.space), partial: includePartial, now: deps.now() };
      const text = deps.balanceOf({ ...query, assetID: assetNamed(assetID, deps) });
      return text instanceof Promise ? text.then(raw) : raw(text);
    },
    { deprecated: '1.9.12' },
  ),

  getBlock: row(obj({ blockID: idParam, encoding }), (deps, params) => {
    const bytes = deps.reads.block(params.blockID);
    if (bytes === undefined) throw noBlock(`couldn't get block with id ${idText(params.blockID)}: not found`, idText(params.blockID));
    return { block: shownBlock(bytes, params.encoding, deps), encoding: params.encoding };
  }),

  getBlockByHeight: row(obj({ height: u64, encoding }), (deps, params) => {
    const bytes = deps.reads.blockAt(params.height);
    if (bytes === undefined) throw noBlock(`couldn't get block at height ${params.height}: not found`, params.height.toString());
    return { block: shownBlock(bytes, params.encoding, deps), encoding: params.encoding };
  }),

  getHeight: row(noParams, ({ reads }) => ({ height: reads.height().toString() })),

  getTx: row(obj({ txID: idParam, encoding }), (deps, params) => {
    if (params.txID === zeroId) throw nilTxID();
    const answer = (older?: Pick<Tx, 'bytes'>) => ({
      tx: shownTx(params.txID, params.encoding, deps, older?.bytes),
      encoding: params.encoding,
    });
    return deps.olderTx === undefined || deps.reads.hasTx(params.txID) ? answer() : deps.olderTx(params.txID).then(answer);
  }),

  getTxFee: row(noParams, ({ fees }) => ({ txFee: fees.txFee.toString(), createAssetTxFee: fees.createAssetTxFee.toString() })),

  getTxStatus: row(
    obj({ txID: idParam }),
    ({ status }, { txID }) => {
      if (txID === zeroId) throw nilTxID();
      const known = status(txID);
      return typeof known === 'string' ? { status: known } : known.then((later) => ({ status: later }));
    },
    { deprecated: '1.10.0' },
  ),

  getUTXOs: row(utxoParams, ({ space, reads }, params) => queryUtxos(params, space, reads.utxos)),

  issueTx: row(
    txTextParams,
    ({ issue }, params) => {
      const tx = parseTxText(params.tx, params.encoding);
      const answer = { txID: idText(tx.id) };
      const later = issue(tx);
      return later === undefined ? answer : later.then(() => answer);
    },
    { writer: true },
  ),
});

/** A transaction from its text form, as `issueTx` takes it. */
export function parseTxText(text: string, form: Encoding): Tx {
  return parseTx(decodedTx(text, form));
}

function decodedTx(text: string, form: Encoding): Uint8Array {
  try {
    return parseHex(form, text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new AvmError(`problem decoding transaction: ${error.message}`, { code: 'AVM_BAD_TX_TEXT', reason: error.message });
  }
}

/** What an asset was called when it was created never changes. */
const shownAsset = (id: Id, { reads, shown }: AvmContext): Json =>
  raw(shown.of(`asset ${reads.epoch()} ${id}`, () => assetText(id, reads)));

function assetText(id: Id, reads: AvmReads): string {
  const asset = reads.description(id);
  if (asset === undefined) throw notFound('asset', id);
  if (asset === 'not-an-asset') throw new AvmError("transaction doesn't create an asset", { code: 'AVM_NOT_AN_ASSET', txID: idText(id) });
  const { name, symbol, denomination } = asset;
  return `{"assetID":"${idText(id)}","name":${goStringOf(name)},"symbol":${goStringOf(symbol)},"denomination":"${denomination}"}`;
}

/** An accepted transaction never changes, so neither does its JSON. The genesis one may be larger than any that is issued. */
function shownTx(id: Id, form: Encoding, { reads, json, shown }: AvmContext, older?: Uint8Array): Json {
  const bytes = (): Uint8Array => {
    const found = older ?? reads.txBytes(id);
    if (found === undefined) throw notFound('tx', id);
    return found;
  };
  if (form !== 'json') return raw(`"${formatHex(form, bytes())}"`);
  return raw(shown.of(`${reads.epoch()} ${id}`, () => txJson(parseTx(bytes(), maxGenesisBytes), json)));
}

const shownBlock = (bytes: Uint8Array, form: Encoding, { json, noTxs }: AvmContext): Json =>
  form === 'json' ? raw(blockJson(parseBlock(bytes), json, noTxs)) : raw(`"${formatHex(form, bytes)}"`);

function ownerOf(text: string, space: AddressSpace) {
  try {
    return space.read(text);
  } catch (error) {
    if (!(error instanceof AvmError)) throw error;
    throw new AvmError(`problem parsing address '${text}': ${error.message}`, error.fault);
  }
}

/** Alias first, then CB58. Peer: vms/avm/vm.go, lookupAssetID. */
function assetNamed(name: string, { assetAliases }: AvmContext): Id {
  const known = assetAliases.get(name);
  if (known !== undefined) return known;
  try {
    return parseId(name);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new AvmError(`asset '${name}' not found`, { code: 'AVM_UNKNOWN_ASSET', name });
  }
}

const nilTxID = () => new AvmError('nil transaction ID', { code: 'AVM_NIL_TX_ID' });

const notFound = (what: 'tx' | 'asset', id: Id) => new AvmError('not found', { code: 'AVM_NOT_FOUND', what, id: idText(id) });

const noBlock = (text: string, id: string) => new AvmError(text, { code: 'AVM_NOT_FOUND', what: 'block', id });
