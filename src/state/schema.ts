/** The tables of one chain. Every chain of the file has its own, told apart by the chain's number. */
export const tablesOf = (chain: number) => ({
  block: `c${chain}_block`,
  tx: `c${chain}_tx`,
  utxo: `c${chain}_utxo`,
  spend: `c${chain}_spend`,
  owner: `c${chain}_owner`,
  account: `c${chain}_account`,
  asset: `c${chain}_asset`,
});

export type Tables = ReturnType<typeof tablesOf>;

/**
 * block    header: its bytes before the first transaction. first_tx, tx_count: its transactions are neighbours in `tx`.
 *          unspent: outputs there are after it.
 * tx       in the order of acceptance; genesis transactions stand before block 1's and belong to no block.
 * utxo     every output there ever was. Within a block a smaller id has a larger seq, so that falling seq is the order the API shows:
 *          newest block first, then by id. Rows never change: a mark in a row would make it grow, and SQLite move its neighbours.
 * spend    which transaction consumed an output.
 * owner    unspent outputs by address. The bytes, if not too many, are here once more: a page is then read from neighbouring rows,
 *          five times as fast.
 * account  kept sums of transfer outputs. own: this address alone may spend them; shared: others are named too.
 *          The row with an empty asset stands for the address itself. changed: height of the last block that touched it.
 */
export const chainSchema = (t: Tables): string => `
  CREATE TABLE IF NOT EXISTS ${t.block}(
    height INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, header BLOB NOT NULL,
    first_tx INTEGER NOT NULL, tx_count INTEGER NOT NULL, time INTEGER NOT NULL, unspent INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.tx}(seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, height INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.utxo}(
    seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, height INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.spend}(utxo INTEGER PRIMARY KEY, tx INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.owner}(
    address BLOB NOT NULL, seq INTEGER NOT NULL, bytes BLOB, PRIMARY KEY (address, seq)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS ${t.account}(
    address BLOB NOT NULL, asset BLOB NOT NULL, locktime BLOB NOT NULL, changed INTEGER NOT NULL,
    own BLOB, own_count INTEGER, shared BLOB, shared_count INTEGER, PRIMARY KEY (address, asset, locktime)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS ${t.asset}(
    id BLOB PRIMARY KEY, fxs TEXT NOT NULL, name BLOB NOT NULL, symbol BLOB NOT NULL, denomination INTEGER NOT NULL) WITHOUT ROWID, STRICT;`;

/**
 * chain    numbers for blockchain IDs; genesis is null for chains that are only known from shared memory.
 * atomic   outputs that `peer` put where `reader` may import them; a larger seq is newer. Removed ones stay, so that a page cursor keeps
 *          its place. Without bytes: it was removed before it was put, and the put will cancel out. Peer: chains/atomic/state.go.
 * atomic_owner  those that can be imported, by address.
 */
export const sharedSchema = `
  CREATE TABLE IF NOT EXISTS chain(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, genesis BLOB) STRICT;
  CREATE TABLE IF NOT EXISTS atomic(
    seq INTEGER PRIMARY KEY, reader INTEGER NOT NULL, id BLOB NOT NULL, peer INTEGER NOT NULL,
    bytes BLOB, removed INTEGER NOT NULL, UNIQUE (reader, id, peer)) STRICT;
  CREATE TABLE IF NOT EXISTS atomic_owner(
    reader INTEGER NOT NULL, peer INTEGER NOT NULL, address BLOB NOT NULL, seq INTEGER NOT NULL, bytes BLOB,
    PRIMARY KEY (reader, peer, address, seq)) WITHOUT ROWID, STRICT;`;
