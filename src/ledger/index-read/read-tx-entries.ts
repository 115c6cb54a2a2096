import type { UtxoRef } from '../../avm/tx/input.ts';
import { readU32 } from '../../avm/tx/output-layout.ts';
import { consumedRefs, inputFields } from '../../avm/tx/tx-layout.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { toHex, toHexAt } from '../../base/bytes/hex.ts';
import { type Id, idLength, idText, idToBytes } from '../../base/bytes/id.ts';
import { damagedRow } from '../state/fault.ts';
import { isPreLinearizationOutput, outputNumber } from '../state/output-number.ts';
import { createdUtxos, openStoredTx, type StoredTx } from '../state/stored-tx.ts';
import { type StoredUtxo, verifyStoredUtxo } from '../state/stored-utxo.ts';
import { decodeTxOutputs } from '../state/tx-outputs.ts';
import { fetchRows, type Queries, runTogether } from '../store/queries.ts';
import type { OutputEntry, PinnedBlock, SpendInfo, TxEntry } from './index-reads.ts';
import type { StoredChainOutput } from './read-chain-outputs.ts';
import { type CrossChainOutputRow, importedElsewhereAsOf, type OutputReads, type SpenderRow, StoredOutput } from './read-outputs.ts';

/** A row of a transaction with its block. `outputs`: what is stored about its outputs, if anything; see state/tx-outputs.ts. */
export type TxRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly bytes: Uint8Array;
  readonly height: number;
  readonly block: Uint8Array;
  readonly time: number;
  readonly outputs: Uint8Array | null;
};

/** A transaction that consumed the output `utxo`. */
export type SpenderOfOutput = SpenderRow & { readonly utxo: number };

type Chain = { readonly id: Id; readonly outputs: OutputReads };

/** Outputs of a transaction that are in the database, with what its bytes do not tell. `seqs`: 0 for an output that has no number. */
type TxOutputs = {
  /** The consumed outputs, in the order of `consumedRefs`. */
  readonly consumed: readonly (ConsumedOutput | undefined)[];
  /** The numbers of the created outputs that stay on this chain. */
  readonly seqs: readonly number[];
  /** The rows of the exported outputs. */
  readonly exported: readonly (CrossChainOutputRow | undefined)[];
};

type ConsumedOutput = { readonly bytes: StoredUtxo; readonly time: number };

/**
 * Entries of transactions, in the order of their rows. Outputs that are not stored with them are looked up, in one group of queries.
 * `ahead`: what consumed their outputs, if that was read with them.
 */
export function* readTxEntries(
  rows: readonly TxRow[],
  pin: PinnedBlock,
  chain: Chain,
  ahead?: readonly SpenderOfOutput[],
): Queries<TxEntry[]> {
  const txs = rows.map(openStoredTx);
  const isUnknown = (outputs: Uint8Array | null, { layout }: StoredTx) => outputs?.length === 0 && layout.kind === 'CreateAssetTx';
  const found = rows.map(({ outputs }, i) => {
    const tx = txs[i] as StoredTx;
    return outputs === null || isUnknown(outputs, tx) ? undefined : decodeOutputs(outputs, tx);
  });
  if (found.includes(undefined)) {
    const others = txs.flatMap((tx, i) => (found[i] === undefined ? [{ tx, areUnknown: isUnknown(rows[i]?.outputs ?? null, tx) }] : []));
    const lookedUp = yield* lookUpOutputs(others, chain);
    let next = 0;
    for (let i = 0; i < found.length; i++) found[i] ??= lookedUp[next++];
  }
  const outputsOf = found as TxOutputs[];
  const created = outputsOf.length === 1 ? (outputsOf[0] as TxOutputs).seqs : outputsOf.flatMap(({ seqs }) => seqs);
  const spenders = yield* readSpendersOf(created, pin, chain.outputs, ahead);
  return txs.map((tx, i) => {
    const { height, block: blockID } = rows[i] as TxRow;
    const outputs = outputsOf[i] as TxOutputs;
    return {
      tx,
      height,
      blockID,
      consumed: consumedEntries(tx, outputs, chain.id),
      emitted: emittedEntries(tx, outputs, spenders, pin, chain.id),
    };
  });
}

function decodeOutputs(row: Uint8Array, tx: StoredTx): TxOutputs {
  const consumed = decodeTxOutputs(row, tx.bytes, tx.layout);
  if (consumed === undefined) throw damagedRow(`the outputs of transaction ${idText(toHex(tx.id) as Id)}`);
  return { consumed, seqs: numbersOf(tx, tx.layout.ownOutputs), exported: noRows };
}

const numbersOf = ({ seq }: StoredTx, count: number): number[] => Array.from({ length: count }, (_, index) => outputNumber(seq, index));

const noRows: readonly undefined[] = [];

function consumedEntries(tx: StoredTx, { consumed }: TxOutputs, chainID: Id): (OutputEntry | undefined)[] {
  const { inputs, ownInputs, otherChain } = tx.layout;
  const source = inputs.length === ownInputs ? chainID : chainAt(tx.bytes, otherChain);
  return consumed.map((output, i) => {
    if (output === undefined) return undefined;
    const createdOn = i < ownInputs ? chainID : source;
    return new StoredOutput<SpendInfo>(0, output.bytes, { time: output.time, createdOn, consumedOn: chainID, spent: tx });
  });
}

function emittedEntries(
  tx: StoredTx,
  { seqs, exported }: TxOutputs,
  spenders: ReadonlyMap<number, StoredTx>,
  pin: PinnedBlock,
  chainID: Id,
): OutputEntry[] {
  const { time } = tx;
  return createdUtxos(tx).map((stored, i) => {
    const seq = seqs[i];
    if (seq !== undefined)
      return new StoredOutput(seq, stored, { time, createdOn: chainID, consumedOn: chainID, spent: spenders.get(seq) });
    const row = exported[i - seqs.length];
    const consumedOn = chainAt(tx.bytes, tx.layout.otherChain);
    return new StoredOutput(row?.seq ?? 0, stored, { time, createdOn: chainID, consumedOn, spent: row && importedElsewhereAsOf(row, pin) });
  });
}

const chainAt = (bytes: Uint8Array, at: number): Id => toHexAt(bytes, at, idLength) as Id;

/** Looks up the outputs that transactions consume and those that they export. `areUnknown`: see `unknownOutputs` in state/tx-outputs.ts. */
function* lookUpOutputs(txs: readonly TxToLookUp[], { id: chainID, outputs }: Chain): Queries<TxOutputs[]> {
  const own: UtxoRef[] = [];
  const moved: Uint8Array[] = [];
  const parts = txs.map(({ tx, areUnknown }) => {
    const { ownOutputs, outputs: all, decoded } = tx.layout;
    const inputs = consumedRefs(tx.layout).map((at) => refAt(tx.bytes, at));
    const createdCount = decoded === undefined ? all.length : createdUtxos(tx).length;
    const created = Array.from({ length: createdCount }, (_, outputIndex) => ({ txID: toHex(tx.id) as Id, outputIndex }));
    const isImport = tx.layout.kind === 'ImportTx';
    const part = {
      tx,
      areUnknown,
      ownInputs: isImport ? tx.layout.ownInputs : inputs.length,
      ownOutputs: decoded === undefined ? ownOutputs : created.length,
      inputs,
      created,
    };
    own.push(...inputs.slice(0, part.ownInputs), ...(areUnknown ? created : []));
    moved.push(...[...inputs.slice(part.ownInputs), ...created.slice(part.ownOutputs)].map((ref) => idToBytes(refId(ref))));
    return part;
  });
  const [rows, movedFound] = yield* runTogether(outputs.byRefs(own), outputs.movedById(moved));
  const movedRows = new Map(movedFound.map((row) => [moveKey(toHex(row.id), row), row]));
  let at = 0;
  const takeRows = (count: number): (StoredChainOutput | undefined)[] => Array.from({ length: count }, () => rows[at++]);
  return parts.map(({ tx, areUnknown, inputs, created, ownInputs, ownOutputs }) => {
    const consumed = takeRows(ownInputs);
    const other = tx.layout.otherChain === 0 ? chainID : chainAt(tx.bytes, tx.layout.otherChain);
    const imported = inputs.slice(ownInputs).map((ref) => movedRows.get(refId(ref) + other + chainID));
    return {
      consumed: [...consumed.map(toConsumed), ...imported.map((row) => row && { bytes: verifyStoredUtxo(row.bytes), time: row.seen })],
      seqs: areUnknown ? takeRows(created.length).map((row) => row?.seq ?? 0) : numbersOf(tx, ownOutputs),
      exported: created.slice(ownOutputs).map((ref) => movedRows.get(refId(ref) + chainID + other)),
    };
  });
}

type TxToLookUp = { readonly tx: StoredTx; readonly areUnknown: boolean };

const refAt = (bytes: Uint8Array, at: number): UtxoRef => ({
  txID: toHexAt(bytes, at, idLength) as Id,
  outputIndex: readU32(bytes, at + inputFields.outputIndex),
});

const toConsumed = (row: StoredChainOutput | undefined): ConsumedOutput | undefined =>
  row && { bytes: verifyStoredUtxo(row.bytes), time: row.time };

const moveKey = (id: string, { source, destination }: CrossChainOutputRow): string => id + toHex(source) + toHex(destination);

/** The transactions that consumed outputs as of a block, by `seq` of the output. `ahead`: see `readTxEntries`. */
function* readSpendersOf(
  seqs: readonly number[],
  pin: PinnedBlock,
  outputs: OutputReads,
  ahead: readonly SpenderOfOutput[] | undefined,
): Queries<ReadonlyMap<number, StoredTx>> {
  const found = new Map<number, StoredTx>();
  const add = (rows: readonly SpenderOfOutput[]): void => {
    let last: StoredTx | undefined;
    for (const row of rows) {
      if (row.seq > pin.lastTx) continue;
      if (last?.seq !== row.seq) last = openStoredTx(row);
      found.set(row.utxo, last);
    }
  };
  if (ahead !== undefined) add(ahead);
  // An output from before linearization is not among those of its transaction.
  const unread = ahead === undefined ? seqs : seqs.filter(isPreLinearizationOutput);
  if (unread.length <= outputs.spenders.maxJoined) {
    add(yield* fetchRows<SpenderOfOutput>(outputs.spenders.of(unread)));
    return found;
  }
  const spends = yield* fetchRows<{ utxo: number; tx: number }>(outputs.spendsBySeq(unread));
  const spentSoFar = spends.filter(({ tx }) => tx <= pin.lastTx);
  const rows = yield* fetchRows<SpenderRow>(outputs.spenders.bySeq([...new Set(spentSoFar.map(({ tx }) => tx))]));
  const spenders = new Map(rows.map((row) => [row.seq, openStoredTx(row)]));
  for (const { utxo, tx } of spentSoFar) {
    const spender = spenders.get(tx);
    if (spender !== undefined) found.set(utxo, spender);
  }
  return found;
}
