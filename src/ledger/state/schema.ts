/** The table names of a chain. Every chain has its own tables; their names contain the chain's number. */
export const tablesOf = (chain: number) => ({
  block: `c${chain}_block`,
  tx: `c${chain}_tx`,
  oldUtxo: `c${chain}_old_utxo`,
  outputId: `c${chain}_output_id`,
  spend: `c${chain}_spend`,
  owner: `c${chain}_owner`,
  balance: `c${chain}_balance`,
  asset: `c${chain}_asset`,
});

export type Tables = ReturnType<typeof tablesOf>;

/** Which outputs a row of `owner` belongs to (column `shelf`): single-owner or multi-owner, unspent or spent. */
export const ownerSets = { unspent: 0, spent: 1, multiOwnerUnspent: 2, multiOwnerSpent: 3 } as const;

/**
 * block    header: the block's bytes before the first transaction. first_tx, tx_count: its transactions have consecutive numbers in `tx`.
 *          unspent: number of unspent outputs after the block. tx_bytes, fees: sizes and burned fees of its transactions; create_asset,
 *          operation, import, export: how many of them are of that kind; see block-row.ts.
 * tx       ordered by acceptance. Genesis transactions come before those of block 1 and belong to no block. The outputs that a transaction
 *          creates are in its bytes and have no rows: see output-number.ts for their numbers. outputs: of nearly every transfer, times and
 *          owners of the outputs it consumed; no bytes: it is unknown which of its outputs exist; see tx-outputs.ts.
 * old_utxo outputs that are not read from `tx`: those from before linearization, among them outputs of genesis transactions, and those that a
 *          fork has copied from another node. They exist since block 0.
 * output_id  finds outputs of `tx` by ID, for cursors and searches; see output-ids.ts.
 * spend    the transaction that consumed an output.
 * owner    outputs by address, oldest first; see output-number.ts for their order. The state keeps the rows of unspent outputs, the history
 *          index adds those of spent ones. Short unspent outputs are stored here a second time: a page is then read from adjacent rows,
 *          which is five times as fast.
 * balance  sums of an address's unspent outputs after the block at `height`: one row for every block that created or spent some of them.
 *          The balance at a height is the newest row at or below it. part: which outputs (see balance.ts). amount: units; count: transfer
 *          outputs that hold them; nfts: NFTs and properties.
 */
export const chainSchema = (t: Tables): string => `
  CREATE TABLE IF NOT EXISTS ${t.block}(
    height INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, header BLOB NOT NULL,
    first_tx INTEGER NOT NULL, tx_count INTEGER NOT NULL, time INTEGER NOT NULL, unspent INTEGER NOT NULL,
    tx_bytes INTEGER NOT NULL, fees BLOB NOT NULL, create_asset INTEGER NOT NULL, operation INTEGER NOT NULL,
    import INTEGER NOT NULL, export INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.tx}(seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, height INTEGER NOT NULL, bytes BLOB NOT NULL, outputs BLOB) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.oldUtxo}(seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.outputId}(number INTEGER PRIMARY KEY, last_tx INTEGER NOT NULL, ids BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.spend}(utxo INTEGER PRIMARY KEY, tx INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${t.owner}(
    address BLOB NOT NULL, shelf INTEGER NOT NULL, seq INTEGER NOT NULL, height INTEGER NOT NULL, bytes BLOB,
    PRIMARY KEY (address, shelf, seq)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS ${t.balance}(
    address BLOB NOT NULL, asset BLOB NOT NULL, part BLOB NOT NULL, height INTEGER NOT NULL, amount BLOB NOT NULL,
    count INTEGER NOT NULL, nfts INTEGER NOT NULL, PRIMARY KEY (address, asset, part, height)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS ${t.asset}(
    id BLOB PRIMARY KEY, fxs TEXT NOT NULL, name BLOB NOT NULL, symbol BLOB NOT NULL, denomination INTEGER NOT NULL) WITHOUT ROWID, STRICT;`;

/**
 * chain    numbers for blockchain IDs; genesis is null for chains that are only known from shared memory.
 * atomic   outputs that the chain `peer` exported and the chain `reader` may import; a larger seq is newer. Removed outputs stay, so that
 *          a page cursor keeps its position. bytes is null if the output was removed before it was put; the later put then cancels out.
 *          AvalancheGo: chains/atomic/state.go.
 * atomic_owner  the outputs that can be imported, by address.
 * forked_address  addresses whose outputs were copied from another node (see forked-addresses.ts).
 * impersonated_tx  transactions accepted without the signatures of impersonated addresses (see impersonated-txs.ts).
 */
export const sharedSchema = `
  CREATE TABLE IF NOT EXISTS chain(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, genesis BLOB) STRICT;
  CREATE TABLE IF NOT EXISTS atomic(
    seq INTEGER PRIMARY KEY, reader INTEGER NOT NULL, id BLOB NOT NULL, peer INTEGER NOT NULL,
    bytes BLOB, removed INTEGER NOT NULL, UNIQUE (reader, id, peer)) STRICT;
  CREATE TABLE IF NOT EXISTS atomic_owner(
    reader INTEGER NOT NULL, peer INTEGER NOT NULL, address BLOB NOT NULL, seq INTEGER NOT NULL, bytes BLOB,
    PRIMARY KEY (reader, peer, address, seq)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS forked_address(chain INTEGER NOT NULL, address BLOB NOT NULL, PRIMARY KEY (chain, address)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS impersonated_tx(chain INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (chain, id)) WITHOUT ROWID, STRICT;`;
