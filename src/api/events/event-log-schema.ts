import type { TableSet } from '../../ledger/index/table-set.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { fetchRows, type Queries, toQuery } from '../../ledger/store/queries.ts';

/**
 * The tables of the event log. They are not part of the accepted state: a revert must not undo them.
 * event_log  one row per run of entries, never changed: seq is the number of the first one. A run is one block of a chain after the other, from
 *            `height` on, so a block has a row only if the entry before it is of another chain. With `block`, the run begins with a revert:
 *            height, block and time are those of the last block after it, and snapshot is its name. A run ends where the next one begins,
 *            and the last run with the last block of its chain.
 * event_log_meta  one row. id: see `EventLog`. revert: the number of the first entry of the last revert, set before the revert.
 * event_log_reverted_block, event_log_reverted_tx  copies of blocks that a revert removed, by `revert` of that revert. They are made by
 *            triggers, since only the deleting statement knows what it deletes. The first copy of a height is the block that was accepted
 *            when the revert began. So the block of an entry is the copy of its height that the first later revert made, or the accepted one.
 */
const eventLogSchema = [
  `CREATE TABLE event_log(
    seq INTEGER PRIMARY KEY, chain INTEGER NOT NULL, height INTEGER NOT NULL, block BLOB, time INTEGER, snapshot TEXT) STRICT`,
  'CREATE TABLE event_log_meta(id TEXT NOT NULL, revert INTEGER NOT NULL) STRICT',
  `CREATE TABLE event_log_reverted_block(
    chain INTEGER NOT NULL, height INTEGER NOT NULL, revert INTEGER NOT NULL, id BLOB NOT NULL, header BLOB NOT NULL,
    first_tx INTEGER NOT NULL, tx_count INTEGER NOT NULL, PRIMARY KEY (chain, height, revert)) WITHOUT ROWID, STRICT`,
  `CREATE TABLE event_log_reverted_tx(
    revert INTEGER NOT NULL, chain INTEGER NOT NULL, seq INTEGER NOT NULL, id BLOB NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (revert, chain, seq)) WITHOUT ROWID, STRICT`,
  'CREATE INDEX event_log_reverted_tx_id ON event_log_reverted_tx(id)',
];

/** The tables with their migrations, for `migrateTableSet`. */
export const eventLogTables: TableSet = {
  name: 'event log',
  create: eventLogSchema,
  upgrades: [joinEntriesToRuns],
  addedColumn: { table: 'event_log_meta', column: 'revert' },
};

/**
 * Version 1 had a row per entry, and copies of reverted blocks by the count of reverts. Entries keep their numbers, from the last revert on: the
 * copies of earlier blocks do not say when they were accepted, so a client that resumes before that revert gets a `reset`. Without a
 * revert nothing is lost. If the log does not end with the last block of each chain (--strict did not write it), a new one begins.
 */
function* joinEntriesToRuns(): Queries<void> {
  const triggers = yield* fetchRows<{ name: string }>([toQuery(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)]);
  for (const { name } of triggers) if (/^c\d+_(block|tx)_reverted$/.test(name)) yield [toQuery(`DROP TRIGGER ${name}`)];
  const isComplete = yield* endsWithLastBlocks();
  yield [toQuery('ALTER TABLE event_log RENAME TO event_log_entry'), toQuery('ALTER TABLE event_log_meta RENAME TO event_log_id')];
  yield ['event_log_reverted_block', 'event_log_reverted_tx'].map((table) => toQuery(`DROP TABLE ${table}`));
  for (const text of eventLogSchema) yield [toQuery(text)];
  if (isComplete)
    yield [
      toQuery('INSERT INTO event_log_meta SELECT id, 0 FROM event_log_id'),
      toQuery(`INSERT INTO event_log SELECT seq, chain, height, iif(reverted, block, NULL), iif(reverted, time, NULL), snapshot
        FROM (SELECT *, lag(chain) OVER (ORDER BY seq) AS chain_before FROM event_log_entry
          WHERE seq >= coalesce((SELECT max(seq) FROM event_log_entry WHERE reverted), 0))
        WHERE reverted OR chain_before IS NOT chain`),
    ];
  yield [toQuery('DROP TABLE event_log_entry'), toQuery('DROP TABLE event_log_id')];
}

/** Whether the last entry of each chain in a log of version 1 is the chain's last block. */
function* endsWithLastBlocks(): Queries<boolean> {
  const ends = yield* fetchRows<{ chain: number; block: Uint8Array }>([
    toQuery('SELECT chain, block FROM event_log WHERE seq IN (SELECT max(seq) FROM event_log GROUP BY chain)'),
  ]);
  const tips = yield* fetchRows<{ chain: number; id: Uint8Array }>(
    ends.map(({ chain }) =>
      toQuery(
        `SELECT ${chain} AS chain, id FROM ${tablesOf(chain).block} WHERE height = (SELECT max(height) FROM ${tablesOf(chain).block})`,
      ),
    ),
  );
  return ends.every(({ chain, block }) => tips.some((tip) => tip.chain === chain && Buffer.compare(tip.id, block) === 0));
}

/**
 * Triggers that copy the blocks and transactions of a chain when they are deleted. Only a revert deletes them. `ON CONFLICT DO NOTHING` keeps
 * the first copy, also where the deleting statement has a conflict rule of its own.
 */
export const revertedBlockTriggers = (chain: number): string => {
  const t = tablesOf(chain);
  return `
  CREATE TRIGGER IF NOT EXISTS ${t.block}_reverted BEFORE DELETE ON ${t.block} BEGIN
    INSERT INTO event_log_reverted_block
      SELECT ${chain}, OLD.height, revert, OLD.id, OLD.header, OLD.first_tx, OLD.tx_count FROM event_log_meta WHERE true ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER IF NOT EXISTS ${t.tx}_reverted BEFORE DELETE ON ${t.tx} BEGIN
    INSERT INTO event_log_reverted_tx
      SELECT revert, ${chain}, OLD.seq, OLD.id, OLD.bytes FROM event_log_meta WHERE true ON CONFLICT DO NOTHING;
  END;`;
};
