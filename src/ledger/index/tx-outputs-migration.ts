import { effectsOf } from '../../avm/tx/effects.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { tablesOf } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import { decodeStoredUtxo } from '../state/stored-utxo.ts';
import { explorerTablesOf } from './explorer-tables.ts';
import { keyLookup } from './key-lookup.ts';
import { fetchRowGroups, fetchRows, type Steps } from './steps.ts';
import { type ConsumedUtxo, encodeTxOutputs } from './tx-outputs.ts';

/** Adds the stored outputs of the transactions that are already indexed. */
export function* addTxOutputs(chain: number, onTx: (seq: number) => void): Steps<void> {
  const progress = 'SELECT p.height FROM progress p JOIN chain c ON c.id = p.chain WHERE c.number = ?';
  const [indexed] = yield* fetchRows<{ height: number }>([{ text: progress, values: [chain] }]);
  // Blocks that are not indexed yet will be written with these rows.
  if (indexed === undefined) return;
  const t = tablesOf(chain);
  const insert = `INSERT INTO ${explorerTablesOf(chain).txOutputs}(tx, outputs) VALUES (?, ?)`;
  const text = `SELECT seq, id, bytes FROM ${t.tx} WHERE seq > ? AND height <= ? ORDER BY seq LIMIT ${batchSize}`;
  const createdById = keyLookup((keys) => `SELECT id, seq FROM ${t.utxo} WHERE id IN (${keys})`);
  const consumedById = keyLookup(
    (keys) => `SELECT u.id, u.bytes, b.time FROM ${t.utxo} u JOIN ${t.block} b ON b.height = u.height WHERE u.id IN (${keys})`,
  );
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly TxRow[] = yield* fetchRows<TxRow>([{ text, values: [after, indexed.height] }]);
    const txs = rows.map((row) => {
      const tx = parseStoredTx(row);
      return { seq: row.seq, tx, effects: effectsOf(tx) };
    });
    const found = yield* fetchRowGroups({
      created: createdById(txs.flatMap(({ effects }) => effects.created.map(({ id }) => idToBytes(id)))),
      consumed: consumedById(txs.flatMap(({ effects }) => effects.spent.map(idToBytes))),
    });
    const seqs = new Map((found.created as { id: Uint8Array; seq: number }[]).map(({ id, seq }) => [toHex(id), seq]));
    const consumed = new Map<string, ConsumedUtxo>();
    for (const { id, bytes, time } of found.consumed as { id: Uint8Array; bytes: Uint8Array; time: number }[])
      consumed.set(toHex(id), { utxo: decodeStoredUtxo(bytes), time });
    const ofTxs = txs.map(({ seq, tx, effects }) => ({
      seq,
      outputs: encodeTxOutputs(
        tx,
        effects.created,
        (id: Id) => seqs.get(id),
        (id: Id) => consumed.get(id),
      ),
    }));
    yield ofTxs.flatMap(({ seq, outputs }) => (outputs === undefined ? [] : [{ text: insert, values: [seq, outputs] }]));
    after = rows[batchSize - 1]?.seq;
    if (after !== undefined) onTx(after);
  }
}

/** Transactions per statement: bounds the time and memory of each, however long the chain is. */
const batchSize = 1024;

type TxRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: Uint8Array };
