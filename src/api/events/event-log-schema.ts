import { tablesOf } from '../../ledger/state/schema.ts';

/**
 * The tables of the event log. They are not part of the accepted state: a revert must not undo them.
 * event_log  one row per accepted block and per revert, never changed. reverted: 0 block, 1 revert; height, block and time are those of the
 *            accepted block, or of the last block after the revert.
 * event_log_meta  one row. id: see `EventLog`. reverts: counts reverts, also those that restore an older epoch.
 * event_log_reverted_block, event_log_reverted_tx  copies of blocks that a revert removed, by the number of that revert. They are made by
 *            triggers, since only the deleting statement knows what it deletes.
 */
export const eventLogSchema = `
  CREATE TABLE IF NOT EXISTS event_log(
    seq INTEGER PRIMARY KEY, chain INTEGER NOT NULL, reverted INTEGER NOT NULL, height INTEGER NOT NULL, block BLOB NOT NULL,
    time INTEGER NOT NULL, snapshot TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS event_log_meta(id TEXT NOT NULL, reverts INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS event_log_reverted_block(
    id BLOB NOT NULL, revert INTEGER NOT NULL, chain INTEGER NOT NULL, header BLOB NOT NULL, first_tx INTEGER NOT NULL,
    tx_count INTEGER NOT NULL, PRIMARY KEY (id, revert)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS event_log_reverted_tx(
    revert INTEGER NOT NULL, chain INTEGER NOT NULL, seq INTEGER NOT NULL, id BLOB NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (revert, chain, seq)) WITHOUT ROWID, STRICT;
  CREATE INDEX IF NOT EXISTS event_log_reverted_tx_id ON event_log_reverted_tx(id);`;

/** Triggers that copy the blocks and transactions of a chain when they are deleted. Only a revert deletes them. */
export const revertedBlockTriggers = (chain: number): string => {
  const t = tablesOf(chain);
  return `
  CREATE TRIGGER IF NOT EXISTS ${t.block}_reverted BEFORE DELETE ON ${t.block} BEGIN
    INSERT OR IGNORE INTO event_log_reverted_block
      SELECT OLD.id, reverts, ${chain}, OLD.header, OLD.first_tx, OLD.tx_count FROM event_log_meta;
  END;
  CREATE TRIGGER IF NOT EXISTS ${t.tx}_reverted BEFORE DELETE ON ${t.tx} BEGIN
    INSERT OR IGNORE INTO event_log_reverted_tx SELECT reverts, ${chain}, OLD.seq, OLD.id, OLD.bytes FROM event_log_meta;
  END;`;
};
