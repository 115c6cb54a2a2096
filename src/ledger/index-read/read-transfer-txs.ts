import { inputFields, readU32, type TransferLayout, transferLayout } from '../../avm/tx/transfer-layout.ts';
import { utxoIdBytes } from '../../avm/tx/utxo.ts';
import { sha256Into } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { compare } from '../../base/bytes/octets.ts';
import { rowsByPosition } from '../index/ordered-lookup.ts';
import { fetchRows, type Steps } from '../index/steps.ts';
import { decodeTxOutputs, type StoredTxOutputs } from '../index/tx-outputs.ts';
import { damagedRow } from '../state/fault.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import { isTransfer, type StoredUtxo, verifyStoredUtxo } from '../state/stored-utxo.ts';
import type { ConsumedOutput, PinnedBlock, TransferEntry, TransferSpender } from './index-reads.ts';
import { runTogether } from './merge.ts';
import { type OutputReads, StoredOutput, spentAsOf } from './read-outputs.ts';

/** A row of a transaction with its block. */
export type TxRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly bytes: Uint8Array;
  readonly height: number;
  readonly block: Uint8Array;
  readonly time: number;
};

/** `outputs`: what is stored about its outputs; see index/tx-outputs.ts. */
export type TxRowWithOutputs = TxRow & { readonly outputs: Uint8Array | null };

export type TransferRow = { readonly row: TxRowWithOutputs; readonly layout: TransferLayout };

/** The layout of a stored transaction if it is a transfer; throws if its bytes do not hash to the row's ID. */
export function storedLayout({ id, bytes }: Pick<TxRow, 'id' | 'bytes'>): TransferLayout | undefined {
  const layout = transferLayout(bytes);
  // Other transactions are checked when they are parsed.
  if (layout !== undefined) {
    sha256Into(bytes, hashed);
    if (compare(hashed, id) !== 0) throw damagedRow(`transaction ${idText(toHex(id) as Id)}`);
  }
  return layout;
}

const hashed = new Uint8Array(32);

type Chain = { readonly id: Id; readonly outputs: OutputReads };

/** Entries of transfers, in the order of their rows. */
export function* readTransferEntries(rows: readonly TransferRow[], pin: PinnedBlock, chain: Chain): Steps<TransferEntry[]> {
  const others = rows.filter(({ row }) => row.outputs === null);
  if (others.length === 0) return yield* readStoredOutputs(rows, pin, chain);
  const known = rows.filter(({ row }) => row.outputs !== null);
  const [stored, lookedUp] = yield* runTogether(readStoredOutputs(known, pin, chain), lookUpOutputs(others, pin, chain));
  let [nextStored, nextLookedUp] = [0, 0];
  return rows.map(({ row }) => (row.outputs === null ? lookedUp[nextLookedUp++] : stored[nextStored++]) as TransferEntry);
}

/** Entries of transfers whose outputs are stored with them: only who spent them is looked up. */
function* readStoredOutputs(rows: readonly TransferRow[], pin: PinnedBlock, { outputs }: Chain): Steps<TransferEntry[]> {
  const found = rows.map(({ row, layout }) => {
    const decoded = row.outputs === null ? undefined : decodeTxOutputs(row.outputs, row.bytes, layout);
    if (decoded === undefined) throw damagedRow(`the outputs of transaction ${idText(toHex(row.id) as Id)}`);
    return decoded;
  });
  const created = found.length === 1 ? (found[0] as StoredTxOutputs).seqs : found.flatMap(({ seqs }) => seqs);
  const spenders = yield* readSpendersOf(created, pin, outputs);
  return rows.map(({ row: { seq, id, bytes, height, block: blockID, time }, layout }, i) => {
    const { seqs, consumed } = found[i] as StoredTxOutputs;
    const ofInputs = consumed.map((output, at) => ({
      id: inputID(bytes, layout.inputs[at] as number),
      bytes: output.bytes,
      time: output.time,
      other: undefined,
    }));
    const emitted = seqs.map((output, index) => ({ id: utxoIdBytes(id, 0, index), seq: output, spender: spenders.get(output) }));
    return { seq, id, bytes, layout, height, blockID, time, consumed: ofInputs, emitted };
  });
}

/** The transactions that consumed outputs as of a block, by `seq` of the output. */
function* readSpendersOf(seqs: readonly number[], pin: PinnedBlock, outputs: OutputReads): Steps<ReadonlyMap<number, TransferSpender>> {
  const found = new Map<number, TransferSpender>();
  if (seqs.length <= maxJoined) {
    let last: TransferSpender | undefined;
    for (const row of yield* fetchRows<SpenderRow & { readonly utxo: number }>(outputs.spendersOf(seqs))) {
      if (row.seq > pin.lastTx) continue;
      if (last?.seq !== row.seq) last = toSpender(row);
      found.set(row.utxo, last);
    }
    return found;
  }
  const spends = yield* fetchRows<{ utxo: number; tx: number }>(outputs.spendsBySeq(seqs));
  const spentSoFar = spends.filter(({ tx }) => tx <= pin.lastTx);
  const spenders = yield* readSpenders([...new Set(spentSoFar.map(({ tx }) => tx))], outputs);
  for (const { utxo, tx } of spentSoFar) {
    const spender = spenders.get(tx);
    if (spender !== undefined) found.set(utxo, spender);
  }
  return found;
}

/** Outputs whose spenders are read with one query. A transaction that spent several of them is then read several times. */
const maxJoined = 4;

/** Entries of other transfers; looks up the outputs of all of them in one group of queries, and the spenders in a second one. */
function* lookUpOutputs(rows: readonly TransferRow[], pin: PinnedBlock, { id: chainID, outputs }: Chain): Steps<TransferEntry[]> {
  const spentIDs: Uint8Array[] = [];
  const createdIDs: Uint8Array[] = [];
  for (const { row, layout } of rows) {
    const { id, bytes } = row;
    addInputIDs(spentIDs, bytes, layout);
    addOutputIDs(createdIDs, id, layout);
  }
  const consumedQueries = outputs.consumedInOrder(spentIDs);
  const results = yield [...consumedQueries, ...outputs.spendStatusInOrder(createdIDs)];
  const consumed = rowsByPosition(results.slice(0, consumedQueries.length) as ConsumedRow[][]);
  const statuses = rowsByPosition(results.slice(consumedQueries.length) as StatusRow[][]);
  const spenderSeqs = new Set<number>();
  for (const status of statuses) {
    const by = spentAsOf(status?.spent ?? null, pin);
    if (by !== undefined) spenderSeqs.add(by.tx);
  }
  const spenders = yield* readSpenders([...spenderSeqs], outputs);
  const toConsumed = (id: Uint8Array, { seq, time, bytes }: ConsumedRow, by: TxRow): ConsumedOutput => {
    if (isTransfer(bytes)) return { id, time, bytes: verifyStoredUtxo(bytes), other: undefined };
    const spent = { txID: toHex(by.id) as Id, time: by.time, tx: parseStoredTx(by), seq: by.seq };
    return { id, time, bytes, other: new StoredOutput(seq, bytes, { time, createdOn: chainID, consumedOn: chainID, spent }) };
  };
  let [input, output] = [0, 0];
  return rows.map(({ row, layout }) => {
    const { seq, id, bytes, height, block: blockID, time } = row;
    const ofInputs: TransferEntry['consumed'][number][] = [];
    for (let i = 1; i < layout.inputs.length; i++, input++) {
      const found = consumed[input];
      ofInputs.push(found && toConsumed(spentIDs[input] as Uint8Array, found, row));
    }
    const emitted: TransferEntry['emitted'][number][] = [];
    for (let i = 1; i < layout.outputs.length; i++, output++) {
      const status = statuses[output];
      const by = spentAsOf(status?.spent ?? null, pin);
      emitted.push({ id: createdIDs[output] as Uint8Array, seq: status?.seq ?? 0, spender: by && spenders.get(by.tx) });
    }
    return { seq, id, bytes, layout, height, blockID, time, consumed: ofInputs, emitted };
  });
}

function addInputIDs(ids: Uint8Array[], bytes: Uint8Array, { inputs }: TransferLayout): void {
  for (let i = 0; i < inputs.length - 1; i++) ids.push(inputID(bytes, inputs[i] as number));
}

/** The ID of the output that the input at `at` consumes. */
const inputID = (bytes: Uint8Array, at: number): Uint8Array =>
  utxoIdBytes(bytes, at + inputFields.txID, readU32(bytes, at + inputFields.outputIndex));

function addOutputIDs(ids: Uint8Array[], txID: Uint8Array, { outputs }: TransferLayout): void {
  for (let i = 0; i < outputs.length - 1; i++) ids.push(utxoIdBytes(txID, 0, i));
}

type ConsumedRow = { readonly n: number; readonly seq: number; readonly time: number; readonly bytes: StoredUtxo };
type StatusRow = { readonly n: number; readonly seq: number; readonly spent: number | null };
type SpenderRow = Pick<TransferSpender, 'seq' | 'id' | 'bytes' | 'time'>;

function* readSpenders(seqs: readonly number[], outputs: OutputReads): Steps<ReadonlyMap<number, TransferSpender>> {
  const rows = yield* fetchRows<SpenderRow>(outputs.spendersBySeq(seqs));
  return new Map(rows.map((row) => [row.seq, toSpender(row)]));
}

function toSpender(row: SpenderRow): TransferSpender {
  const { seq, id, bytes, time } = row;
  const layout = storedLayout(row);
  return layout === undefined ? { seq, id, bytes, time, layout, tx: parseStoredTx(row) } : { seq, id, bytes, time, layout, tx: undefined };
}
