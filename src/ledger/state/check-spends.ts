import { effectsOf } from '../../avm/tx/effects.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { equal } from '../../base/bytes/octets.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import type { Database } from '../store/database.ts';
import { type CheckContext, parseOrUndefined } from './check-context.ts';
import { describeWrongOutputs, type TxRow } from './check-txs.ts';
import type { Tables } from './schema.ts';
import { decodeWithoutChecksum } from './stored-utxo.ts';
import { encodeTxOutputs } from './tx-outputs.ts';
import { type FoundOutput, openUtxoTable } from './utxo-table.ts';

/**
 * Looks up every output that a transaction consumes, to name those that are not marked as spent by it and transactions whose stored outputs
 * are wrong. Slow, so only if the sums of a check differ; see check-txs.ts.
 */
export function findWrongSpends(db: Database, t: Tables, { addProblem, readRows }: CheckContext): void {
  const txsAfter = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const utxos = openUtxoTable(db, t, { caching: false, epoch: () => 0 });
  const timeAt = db.prepare<{ time: number }>(`SELECT time FROM ${t.block} WHERE height = ?`);
  const spender = db.prepare<{ tx: number }>(`SELECT tx FROM ${t.spend} WHERE utxo = ?`);
  addProblem('the outputs that transactions consume are not those that are marked as spent by them');
  for (const row of readRows<TxRow>((last, limit) => txsAfter.all(last?.seq ?? 0, limit))) {
    const tx = parseOrUndefined(() => parseTx(row.bytes, maxGenesisBytes));
    if (tx === undefined) continue;
    const found = new Map<Id, FoundOutput | undefined>();
    for (const ref of effectsOf(tx).spent) {
      const output = parseOrUndefined(() => utxos.find(ref));
      found.set(refId(ref), output);
      if (output === undefined || spender.get(output.seq)?.tx !== row.seq)
        addProblem(`output ${idText(refId(ref))} is not marked as spent by transaction ${row.seq}`);
    }
    if (!hasStoredOutputs(row, tx, found, (height) => timeAt.get(height)?.time ?? 0)) addProblem(describeWrongOutputs(row.seq));
  }
}

/** Whether the column `outputs` of a transaction is what the outputs it consumes give. Without it they are looked up. */
function hasStoredOutputs(
  { outputs, height }: TxRow,
  tx: Tx,
  consumed: ReadonlyMap<Id, FoundOutput | undefined>,
  timeAt: (height: number) => number,
): boolean {
  if (outputs === null) return true;
  // Only the genesis may have unknown outputs.
  if (outputs.length === 0) return height === 0;
  const expected = encodeTxOutputs(tx, (id) => {
    const row = consumed.get(id);
    const utxo = row && parseOrUndefined(() => decodeWithoutChecksum(row.bytes));
    return utxo && { utxo, time: timeAt(row.height) };
  });
  return expected !== null && equal(expected, outputs);
}
