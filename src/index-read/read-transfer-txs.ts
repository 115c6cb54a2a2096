import { sha256Into } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { compare } from '../bytes/octets.ts';
import { fetchRowGroups, fetchRows, type Steps } from '../index/steps.ts';
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
  const spentIDs = rows.map(({ bytes, layout }) => inputIDs(bytes, layout));
  const createdIDs = rows.map(({ id, layout }) => outputIDs(id, layout));
  const found = yield* fetchRowGroups({
    consumed: outputs.consumedById(spentIDs.flat()),
    statuses: outputs.spendStatusById(createdIDs.flat()),
  });
  const consumed = byId(found.consumed as WithId<ConsumedRow>[]);
  const statuses = byId(found.statuses as WithId<{ seq: number; spent: number | null }>[]);
  const spenderSeqs = new Set<number>();
  for (const { spent } of statuses.values()) if (spent !== null && spent <= pin.lastTx) spenderSeqs.add(spent);
  const spenderRows = yield* fetchRows<SpenderRow>(outputs.spendersBySeq([...spenderSeqs]));
  const spenders = new Map(spenderRows.map((row) => [row.seq, toSpender(row)]));
  const toConsumed = ({ seq, time, bytes }: ConsumedRow, by: TransferRow): ConsumedOutput => {
    if (isTransfer(bytes)) return { seq, time, bytes: verifyStoredUtxo(bytes), other: undefined };
    const spent = { txID: toHex(by.id) as Id, time: by.time, tx: parseStoredTx(by), seq: by.seq };
    return { seq, time, bytes, other: new StoredOutput(seq, bytes, { time, createdOn: chainID, consumedOn: chainID, spent }) };
  };
  return rows.map((row, i) => ({
    seq: row.seq,
    id: row.id,
    bytes: row.bytes,
    layout: row.layout,
    height: row.height,
    blockID: row.block,
    time: row.time,
    consumed: (spentIDs[i] as Uint8Array[]).map((id) => {
      const found = consumed.get(toHex(id));
      return found && toConsumed(found, row);
    }),
    emitted: (createdIDs[i] as Uint8Array[]).map((id) => {
      const status = statuses.get(toHex(id));
      const by = spentAsOf(status?.spent ?? null, pin);
      return { id, seq: status?.seq ?? 0, spender: by && spenders.get(by.tx) };
    }),
  }));
}

function inputIDs(bytes: Uint8Array, { inputs }: TransferLayout): Uint8Array[] {
  const ids: Uint8Array[] = [];
  for (let i = 0; i < inputs.length - 1; i++) {
    const at = inputs[i] as number;
    ids.push(utxoIdBytes(bytes, at + inputFields.txID, readU32(bytes, at + inputFields.outputIndex)));
  }
  return ids;
}

function outputIDs(txID: Uint8Array, { outputs }: TransferLayout): Uint8Array[] {
  const ids: Uint8Array[] = [];
  for (let i = 0; i < outputs.length - 1; i++) ids.push(utxoIdBytes(txID, 0, i));
  return ids;
}

type ConsumedRow = { readonly seq: number; readonly time: number; readonly bytes: StoredUtxo };
type SpenderRow = Pick<TransferSpender, 'seq' | 'id' | 'bytes' | 'time'>;

function toSpender(row: SpenderRow): TransferSpender {
  const { seq, id, bytes, time } = row;
  const layout = storedLayout(row);
  return layout === undefined ? { seq, id, bytes, time, layout, tx: parseStoredTx(row) } : { seq, id, bytes, time, layout, tx: undefined };
}

type WithId<R> = R & { readonly id: Uint8Array };

function byId<R extends { readonly id: Uint8Array }>(rows: readonly R[]): Map<string, R> {
  const found = new Map<string, R>();
  for (const row of rows) found.set(toHex(row.id), row);
  return found;
}
