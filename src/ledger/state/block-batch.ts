import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type BalanceChange, createBalanceDeltas } from './balance.ts';
import type { BlockDeltas } from './balances.ts';
import { computeBlockChange, type NewBlock, type StoredBlock } from './block-change.ts';
import type { LastNumbers } from './chain-tip.ts';
import type { NumberedBlock } from './history.ts';
import type { StateTables } from './state-tables.ts';
import { encodeStoredUtxo } from './stored-utxo.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/**
 * Blocks that are stored in one transaction. Their rows are written together: a statement costs more than a small row, and what a later block of
 * the batch spends again is written once. `before`: the last numbers in use, and the number of unspent outputs.
 */
export function createBlockBatch(tables: StateTables, blocks: readonly NewBlock[], before: LastNumbers & { readonly unspent: number }) {
  const { history, utxos, owners, balances } = tables;
  let at = before;
  const created: NumberedUtxo[] = [];
  const spent: (NumberedUtxo & { readonly spent: number | null })[] = [];
  /** Outputs that these blocks create and leave unspent. The cache must not have them before the commit. */
  const unspent = new Map<Id, NumberedUtxo>();
  const consumedEarlier: NumberedUtxo[] = [];
  const deltas: BlockDeltas[] = [];
  const numberedBlocks: NumberedBlock[] = [];
  const times = new Map(blocks.map(({ block }) => [Number(block.height), Number(block.time)]));
  const timeAt = (height: number): number => {
    const time = times.get(height) ?? history.timeAt(height);
    times.set(height, time);
    return time;
  };
  const unspentRow = (utxo: Utxo): NumberedUtxo => unspent.get(utxo.id) ?? utxos.unspentRow(utxo);

  return {
    /** Numbers the rows of the next block. What it brings from before linearization is written at once. */
    add: ({ block, diff, preLinearizationUtxos = [], preLinearizationAssets }: NewBlock): Omit<StoredBlock, 'imported'> => {
      if (preLinearizationAssets) history.insertAssets(preLinearizationAssets);
      const old = insertPreLinearizationUtxos(tables, preLinearizationUtxos, at.oldest);
      const [height, firstTx] = [Number(block.height), at.tx + 1];
      const change = computeBlockChange(diff, { height, firstTx, unspentRow, timeAt });
      for (const row of change.created) {
        created.push(row);
        spent.push(row);
      }
      for (const row of change.consumed) {
        spent.push(row);
        if (!unspent.delete(row.utxo.id)) consumedEarlier.push(row);
      }
      for (const row of change.unspent) unspent.set(row.utxo.id, row);
      deltas.push({ height, deltas: change.deltas });
      const { applied } = diff;
      at = {
        tx: at.tx + applied.length,
        oldest: at.oldest - old.utxos.length,
        unspent: at.unspent + old.utxos.length + change.unspent.length - change.consumed.length,
      };
      numberedBlocks.push({ block, applied, firstTx, txOutputs: change.txOutputs, unspent: at.unspent });
      const { created: createdRows, consumed } = change;
      return { block, firstTx, applied, created: createdRows, consumed, preLinearizationUtxos: old.utxos, balances: old.balances };
    },
    /** Writes the rows and returns the balance changes of each block. `extendsGenesis`: see `storeBlocks` of chain-writer.ts. */
    write: (extendsGenesis: boolean): BalanceChange[][] => {
      utxos.addIds(created, before.tx + 1, at.tx);
      utxos.spend(spent);
      owners.removeOwners(consumedEarlier);
      owners.addOwners([...unspent.values()]);
      const changes = balances.insert(deltas);
      if (extendsGenesis) for (const numbered of numberedBlocks) history.extendGenesis(numbered);
      else history.insertBlocks(numberedBlocks);
      return changes;
    },
    /** Updates the cache after the commit and returns the numbers then. */
    finish: () => {
      utxos.updateCache([...unspent.values()], consumedEarlier);
      return at;
    },
  };
}

/** Outputs from before linearization that were inserted, and the balances they changed. */
type PreLinearization = { readonly utxos: readonly NumberedUtxo[]; readonly balances: readonly BalanceChange[] };

const noPreLinearization: PreLinearization = { utxos: [], balances: [] };

/** Inserts outputs from before linearization that are not stored yet, numbered down from `oldest`. Must run inside a write transaction. */
export function insertPreLinearizationUtxos(
  { utxos, owners, balances }: Pick<StateTables, 'utxos' | 'owners' | 'balances'>,
  wanted: readonly Utxo[],
  oldest: number,
): PreLinearization {
  if (wanted.length === 0) return noPreLinearization;
  const missing = new Map(wanted.filter((utxo) => utxos.findPosition(utxo) === undefined).map((utxo) => [utxo.id, utxo]));
  const added = [...missing.values()].map((utxo, i) => ({ utxo, seq: oldest - 1 - i, height: 0, bytes: encodeStoredUtxo(utxo) }));
  const sums = createBalanceDeltas();
  for (const { utxo } of added) sums.add(utxo);
  utxos.insertPreLinearization(added);
  owners.addOwners(added);
  return { utxos: added, balances: balances.raise(sums.deltas()) };
}
