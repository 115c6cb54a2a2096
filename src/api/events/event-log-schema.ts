import { tablesOf } from '../../ledger/state/schema.ts';

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
export const eventLogSchema = `
  CREATE TABLE IF NOT EXISTS event_log(
    seq INTEGER PRIMARY KEY, chain INTEGER NOT NULL, height INTEGER NOT NULL, block BLOB, time INTEGER, snapshot TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS event_log_meta(id TEXT NOT NULL, revert INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS event_log_reverted_block(
    chain INTEGER NOT NULL, height INTEGER NOT NULL, revert INTEGER NOT NULL, id BLOB NOT NULL, header BLOB NOT NULL,
    first_tx INTEGER NOT NULL, tx_count INTEGER NOT NULL, PRIMARY KEY (chain, height, revert)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS event_log_reverted_tx(
    revert INTEGER NOT NULL, chain INTEGER NOT NULL, seq INTEGER NOT NULL, id BLOB NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (revert, chain, seq)) WITHOUT ROWID, STRICT;
  CREATE INDEX IF NOT EXISTS event_log_reverted_tx_id ON event_log_reverted_tx(id);`;

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
