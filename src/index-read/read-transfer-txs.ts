import { sha256Into } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { compare } from '../bytes/octets.ts';
import { rowsByPosition } from '../index/ordered-lookup.ts';
import { fetchRows, type Steps } from '../index/steps.ts';
import { damagedRow } from '../state/fault.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import { isTransfer, type StoredUtxo, verifyStoredUtxo } from '../state/stored-utxo.ts';
import { inputFields, readU32, type TransferLayout, transferLayout } from '../tx/transfer-layout.ts';
import { utxoIdBytes } from '../tx/utxo.ts';
import type { ConsumedOutput, PinnedBlock, TransferEntry, TransferSpender } from './index-reads.ts';
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

export type TransferRow = TxRow & { readonly layout: TransferLayout };

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

/** Entries of transfers; looks up the outputs of all of them in one group of queries, and the spenders in a second one. */
export function* readTransferEntries(
  rows: readonly TransferRow[],
  pin: PinnedBlock,
  { id: chainID, outputs }: { readonly id: Id; readonly outputs: OutputReads },
): Steps<TransferEntry[]> {
  const spentIDs: Uint8Array[] = [];
  const createdIDs: Uint8Array[] = [];
  for (const { id, bytes, layout } of rows) {
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
  const spenderRows = yield* fetchRows<SpenderRow>(outputs.spendersBySeq([...spenderSeqs]));
  const spenders = new Map(spenderRows.map((row) => [row.seq, toSpender(row)]));
  const toConsumed = (id: Uint8Array, { seq, time, bytes }: ConsumedRow, by: TransferRow): ConsumedOutput => {
    if (isTransfer(bytes)) return { id, seq, time, bytes: verifyStoredUtxo(bytes), other: undefined };
    const spent = { txID: toHex(by.id) as Id, time: by.time, tx: parseStoredTx(by), seq: by.seq };
    return { id, seq, time, bytes, other: new StoredOutput(seq, bytes, { time, createdOn: chainID, consumedOn: chainID, spent }) };
  };
  let [input, output] = [0, 0];
  return rows.map((row) => {
    const { seq, id, bytes, layout, height, block: blockID, time } = row;
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
  for (let i = 0; i < inputs.length - 1; i++) {
    const at = inputs[i] as number;
    ids.push(utxoIdBytes(bytes, at + inputFields.txID, readU32(bytes, at + inputFields.outputIndex)));
  }
}

function addOutputIDs(ids: Uint8Array[], txID: Uint8Array, { outputs }: TransferLayout): void {
  for (let i = 0; i < outputs.length - 1; i++) ids.push(utxoIdBytes(txID, 0, i));
}

type ConsumedRow = { readonly n: number; readonly seq: number; readonly time: number; readonly bytes: StoredUtxo };
type StatusRow = { readonly n: number; readonly seq: number; readonly spent: number | null };
type SpenderRow = Pick<TransferSpender, 'seq' | 'id' | 'bytes' | 'time'>;

function toSpender(row: SpenderRow): TransferSpender {
  const { seq, id, bytes, time } = row;
  const layout = storedLayout(row);
  return layout === undefined ? { seq, id, bytes, time, layout, tx: parseStoredTx(row) } : { seq, id, bytes, time, layout, tx: undefined };
}
