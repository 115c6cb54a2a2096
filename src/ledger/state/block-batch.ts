import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { BlockDeltas } from './balances.ts';
import { computeBlockChange, type NewBlock, type StoredBlock } from './block-change.ts';
import type { LastNumbers } from './chain-tip.ts';
import type { NumberedBlock } from './history.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/** The rows that blocks change, to be written together: a statement costs more than a small row. */
export type BatchRows = BlockBatch['rows'];

export type BlockBatch = ReturnType<typeof createBlockBatch>;

/** Numbers the transactions and outputs of consecutive blocks, which are stored in one transaction. */
export function createBlockBatch({
  before,
  unspentRow,
  timeAt,
}: {
  /** The last numbers in use, and the number of unspent outputs. */
  readonly before: LastNumbers & { readonly unspent: number };
  /** The row of an unspent output that a block consumes; `created` if an earlier block of the batch created it. */
  readonly unspentRow: (utxo: Utxo, created: NumberedUtxo | undefined) => NumberedUtxo;
  /** The time of a block of the batch or before, in Unix seconds. */
  readonly timeAt: (height: number) => number;
}) {
  let numbers = before;
  const rows = {
    firstTx: before.tx + 1,
    blocks: [] as NumberedBlock[],
    created: [] as NumberedUtxo[],
    spent: [] as (NumberedUtxo & { readonly spent: number | null })[],
    /** Outputs that these blocks create and leave unspent; what a later block of the batch spends again is written once. */
    unspent: new Map<Id, NumberedUtxo>(),
    consumedEarlier: [] as NumberedUtxo[],
    deltas: [] as BlockDeltas[],
  };
  const findUnspent = (utxo: Utxo): NumberedUtxo => unspentRow(utxo, rows.unspent.get(utxo.id));
  return {
    rows,
    numbers: () => numbers,
    /** `old`: outputs from before linearization that the block consumes and that were not stored. */
    add: ({ block, diff }: NewBlock, old: readonly NumberedUtxo[]): Omit<StoredBlock, 'imported'> => {
      const { applied } = diff;
      const [height, firstTx] = [Number(block.height), numbers.tx + 1];
      const change = computeBlockChange(diff, { height, firstTx, unspentRow: findUnspent, timeAt });
      const { created, consumed, deltas, txOutputs } = change;
      for (const row of created) {
        rows.created.push(row);
        rows.spent.push(row);
      }
      for (const row of consumed) {
        rows.spent.push(row);
        if (!rows.unspent.delete(row.utxo.id)) rows.consumedEarlier.push(row);
      }
      for (const row of change.unspent) rows.unspent.set(row.utxo.id, row);
      rows.deltas.push({ height, deltas });
      const unspent = numbers.unspent + old.length + change.unspent.length - consumed.length;
      rows.blocks.push({ block, applied, firstTx, txOutputs, unspent });
      numbers = { tx: numbers.tx + applied.length, oldest: numbers.oldest - old.length, unspent };
      return { block, firstTx, applied, created, consumed, deltas, preLinearizationUtxos: old };
    },
  };
}
