/**
 * What the index keeps of one chain beside the chain's own tables (state/schema.ts: block, tx, utxo, spend, asset), which it reads as well.
 * In PostgreSQL those are created here too, with the same names and columns, since no chain lives there.
 *
 * Almost everything is only ever added, so that any answer can be given as it was at an earlier height: a listing keeps the height at which
 * it began, however long its reader takes from page to page.
 */
export const indexTablesOf = (chain: number) => ({
  holding: `c${chain}_holding`,
  amount: `c${chain}_amount`,
  history: `c${chain}_history`,
  balance: `c${chain}_balance`,
  holder: `c${chain}_holder`,
  assetStat: `c${chain}_asset_stat`,
  minter: `c${chain}_minter`,
  span: `c${chain}_span`,
  second: `c${chain}_second`,
});

export type IndexTables = ReturnType<typeof indexTablesOf>;

/**
 * Where an output stands: alone at its one owner or shared by several, to be had or gone. Exported ones wait for another chain to import
 * them. Imported ones were made on another chain and spent by an import of this one.
 */
export const shelves = { open: 0, spent: 1, sharedOpen: 2, sharedSpent: 3, exported: 4, taken: 5, imported: 6 } as const;
export type Shelf = (typeof shelves)[keyof typeof shelves];

/** Numbers of kinds of transactions in `history`: the type ids of the wire. */
export const kinds = { BaseTx: 0, CreateAssetTx: 1, OperationTx: 2, ImportTx: 3, ExportTx: 4 } as const;

/** Lengths of time that are counted. Weeks begin on Monday, months on their first day, all in UTC. */
export const units = { hour: 0, day: 1, week: 2, month: 3 } as const;
export type Unit = keyof typeof units;

export type Column = { readonly type: 'int' | 'blob' | 'text' | 'real'; readonly null?: true };
export type Table = {
  readonly columns: { readonly [name: string]: Column };
  readonly key: readonly string[];
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly (readonly string[])[];
};

const int: Column = { type: 'int' };
const blob: Column = { type: 'blob' };

/**
 * holding   every output by owner, oldest first. tie: the first 8 bytes of the output's id, so that equal times stand in the order of ids.
 *           seq: number in `utxo`; below zero it is minus the number in `moved`. Spending moves the row to another shelf.
 * amount    the same rows in the order of amounts (8 bytes; an NFT or a property counts 1, a right to mint 0).
 * history   transactions by subject: an address (20 bytes), an asset (32 bytes), or the whole chain (no bytes).
 * balance   what an address held in outputs that it alone owns, after the block at `height`: one row per block that changed it.
 *           The newest row not above a height is the balance at that height. amount: 16 bytes, of `count` outputs; nfts: NFTs and properties.
 * holder    when an address was first seen, last seen and last spent something (0: never); *_hour are the same, down to the hour, for the
 *           index: it changes only when the hour does. Whom only the genesis names, or an output older than history, was first seen at block
 *           0's time and never since.
 * asset_stat  supply: units in this chain's unspent outputs, 16 bytes; nfts: its NFTs and properties that are not burned.
 * minter    outputs that carry the right to mint, spent ones too.
 * span      counts of an hour, day, week or month. addresses: seen for the first time. fees: burned AVAX, 16 bytes.
 *           max_tps: most transactions per second between two neighbouring seconds that have blocks. last: time of its last block.
 * second    transactions of each second that has blocks. rate: its transactions over the seconds since the second before it in this table.
 */
export const indexSchema: { readonly [T in keyof IndexTables]: Table } = {
  holding: { columns: { address: blob, shelf: int, time: int, tie: blob, seq: int }, key: ['address', 'shelf', 'time', 'tie', 'seq'] },
  amount: { columns: { address: blob, shelf: int, amount: blob, tie: blob, seq: int }, key: ['address', 'shelf', 'amount', 'tie', 'seq'] },
  history: { columns: { subject: blob, kind: int, tx: int }, key: ['subject', 'kind', 'tx'] },
  balance: {
    columns: { address: blob, asset: blob, locktime: blob, height: int, amount: blob, count: int, nfts: int },
    key: ['address', 'asset', 'locktime', 'height'],
  },
  holder: {
    columns: { address: blob, first: int, seen: int, seen_hour: int, sent: int, sent_hour: int },
    key: ['address'],
    indexes: [['first'], ['seen_hour'], ['sent_hour']],
  },
  assetStat: { columns: { asset: blob, first: int, last: int, txs: int, supply: blob, nfts: int }, key: ['asset'] },
  minter: { columns: { asset: blob, seq: int }, key: ['asset', 'seq'] },
  span: {
    columns: {
      unit: int,
      start: int,
      txs: int,
      blocks: int,
      active: int,
      senders: int,
      addresses: int,
      fees: blob,
      max_tps: { type: 'real' },
      last: int,
    },
    key: ['unit', 'start'],
  },
  second: { columns: { time: int, txs: int, fees: blob, rate: { type: 'real' } }, key: ['time'] },
};

/**
 * Shared by all chains of the database.
 * moved     outputs that left one chain for another: put there by an export, taken by an import. Half of it may be unknown: what another
 *           chain did that is not indexed here. seen: when it was put or, if that is not known, taken; the row's time in `holding`, too.
 *           taken_time alone, without taken_by: it is gone, and that was found out when the last block here was of this time (export-shelf.ts).
 *           bytes: with their checksum behind, as in `utxo`. put_height is a height of the source, taken_height of the destination.
 * progress  height up to which a chain's index is written; complete_from: height from which on nothing is missing (0 unless the chain is
 *           older than what a followed node can tell).
 */
export const sharedIndexSchema: { readonly moved: Table; readonly progress: Table } = {
  moved: {
    columns: {
      seq: int,
      id: blob,
      source: blob,
      destination: blob,
      bytes: blob,
      seen: int,
      put_height: { type: 'int', null: true },
      taken_by: { type: 'blob', null: true },
      taken_height: { type: 'int', null: true },
      taken_time: { type: 'int', null: true },
    },
    key: ['seq'],
    unique: [['id', 'source', 'destination']],
    indexes: [['taken_time', 'seq']],
  },
  progress: { columns: { chain: blob, height: int, complete_from: int }, key: ['chain'] },
};
