import { type Id, idFromBytes } from '../../base/bytes/id.ts';
import { tablesOf } from '../state/schema.ts';
import { explorerTablesOf } from './explorer-tables.ts';
import { fetchRows, type Query, type Steps } from './steps.ts';
import { joinIdTexts } from './tx-id-texts.ts';

/** Adds the texts of the transaction IDs of the blocks that are already indexed. */
export function* addTxIdTexts(chain: number, onTx: (seq: number) => void): Steps<void> {
  const progress = 'SELECT p.height FROM progress p JOIN chain c ON c.id = p.chain WHERE c.number = ?';
  const [indexed] = yield* fetchRows<{ height: number }>([{ text: progress, values: [chain] }]);
  // Blocks that are not indexed yet will be written with these rows.
  if (indexed === undefined) return;
  const insert = `INSERT INTO ${explorerTablesOf(chain).blockTxIds}(height, texts) VALUES (?, ?)`;
  const text = `SELECT seq, id, height FROM ${tablesOf(chain).tx} WHERE seq > ? AND height > 0 AND height <= ? ORDER BY seq LIMIT ${batchSize}`;
  const queries: Query[] = [];
  let height = 0;
  let ids: Id[] = [];
  const endBlock = (): void => {
    if (ids.length > 0) queries.push({ text: insert, values: [height, joinIdTexts(ids)] });
    ids = [];
  };
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly TxRow[] = yield* fetchRows<TxRow>([{ text, values: [after, indexed.height] }]);
    for (const row of rows) {
      if (row.height !== height) endBlock();
      height = row.height;
      ids.push(idFromBytes(row.id));
    }
    after = rows[batchSize - 1]?.seq;
    if (after !== undefined) onTx(after);
    if (after === undefined) endBlock();
    yield queries.splice(0);
  }
}

/** Transactions per statement: bounds the time of each, however long the chain is. */
const batchSize = 4096;

type TxRow = { readonly seq: number; readonly id: Uint8Array; readonly height: number };
