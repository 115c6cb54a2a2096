import { ownerSets, tablesOf } from '../state/schema.ts';

/**
 * Names of one chain's index tables. The index also reads the chain's own tables (ledger/state/schema.ts: block, tx, old_utxo, output_id, spend,
 * balance, asset). PostgreSQL holds no chain state, so there the index creates those as well (chain-tables.ts), with the same names and columns.
 *
 * Almost all rows are only added, never changed, so that every query can be answered as of an earlier height: all pages of a listing use
 * the height of its first page, however much later they are read.
 */
export const indexTablesOf = (chain: number) => ({
  owner: tablesOf(chain).owner,
  movedOwner: `c${chain}_moved_owner`,
  history: `c${chain}_history`,
  holder: `c${chain}_holder`,
  active: `c${chain}_active`,
  assetStat: `c${chain}_asset_stat`,
  minter: `c${chain}_minter`,
  span: `c${chain}_span`,
  minute: `c${chain}_minute`,
});

export type IndexTables = ReturnType<typeof indexTablesOf>;

/**
 * Which set an output is in; the column is called `shelf`. An output of this chain is single-owner or multi-owner, unspent or spent.
 * exported: this chain exported it, and no import by the destination chain is known. exportedSpent: exported, and imported there since.
 * imported: created on another chain and spent by an import of this one.
 */
export const outputSets = { ...ownerSets, exported: 4, exportedSpent: 5, imported: 6 } as const;
export type OutputSet = (typeof outputSets)[keyof typeof outputSets];

/** Numbers of transaction kinds in `history`: the type ids of the wire format. transfer-runs.ts has one more. */
export const txKinds = { BaseTx: 0, CreateAssetTx: 1, OperationTx: 2, ImportTx: 3, ExportTx: 4 } as const;

/** Numbers of the time bucket units in `span`. Weeks begin on Monday, all in UTC. */
export const bucketUnits = { hour: 0, day: 1, week: 2, month: 3 } as const;
export type BucketUnit = keyof typeof bucketUnits;

/** Seconds that a row of `active` counts: a day, an hour, or one second for windows that begin within an hour. */
export const activeLengths = [1, 3600, 86_400] as const;
export type ActiveLength = (typeof activeLengths)[number];

export type Column = { readonly type: 'int' | 'blob' | 'text' | 'real'; readonly null?: true };
export type Table = {
  readonly columns: { readonly [name: string]: Column };
  readonly key: readonly string[];
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly (readonly string[])[];
  /** Of a table that the index shares with the chain's state: the SQL condition of the rows that the index writes. */
  readonly indexRows?: string;
  /** In PostgreSQL the table is divided by ranges of this key, which grows with the chain; see partitions.ts. SQLite ignores it. */
  readonly partitions?: PartitionKey;
  /** Most of its rows change often: in PostgreSQL its pages have room for the next version of a row, so that its indexes stay as they are. */
  readonly updated?: true;
};

/** `by`: the key. `counts`: whether it grows with the number of the last transaction or of the last block; `step`: by how much for each. */
export type PartitionKey = { readonly by: string; readonly counts: 'tx' | 'height'; readonly step: number };

const int: Column = { type: 'int' };
const blob: Column = { type: 'blob' };

/**
 * owner     the rows of spent outputs in the state's table of the same name; see state/schema.ts. In PostgreSQL it has all rows.
 * moved_owner  outputs that moved between chains, by owner, oldest first. shelf: number of the output set; an import moves the row to another.
 *           tie: tiebreaker, the first 8 bytes of the output's id, so that outputs of equal time are in the order of their ids.
 *           seq: minus the row in `moved`.
 * history   transactions by subject: an address (20 bytes), an asset (32 bytes), or the whole chain (no bytes). Transfers of the whole chain
 *           and of the fee asset have no rows of their own but boundaries of runs; see transfer-runs.ts.
 * holder    when an address was first seen, last seen and last spent an output (0: never). An address that is only in the genesis or in
 *           outputs from before linearization has the time of block 0 as `first`, and 0 as the others.
 * active    of every second, hour and day with activity (length: its seconds): how many addresses were last seen in it, and how many last spent
 *           an output in it. Sums of these rows count the active addresses since a time, however many there are.
 * asset_stat  supply: units in this chain's unspent outputs, 16 bytes; nfts: its unspent NFTs and properties. holders: addresses that alone
 *           own unspent outputs of it, locked ones included; held: their units, 16 bytes. minted, minted_nfts: units, and NFTs and properties,
 *           that were ever created on this chain, by the creation of the asset and by mint operations.
 * minter    mint outputs, unspent and spent.
 * span      time buckets that are over: counts of an hour, day, week or month. Those of the last block are in `progress`. addresses: seen for the first time. fees: burned AVAX, 16 bytes.
 *           max_tps: the highest TPS of its seconds, see open-buckets.ts. last: time of its last block.
 * minute    the same for minutes, with fewer counts: for totals that begin within an hour. Parts of a minute are counted in the blocks.
 */
export const indexSchema: { readonly [T in keyof IndexTables]: Table } = {
  owner: {
    columns: { address: blob, shelf: int, seq: int, height: int, bytes: { type: 'blob', null: true } },
    key: ['address', 'shelf', 'seq'],
    indexRows: `shelf IN (${ownerSets.spent}, ${ownerSets.multiOwnerSpent})`,
  },
  movedOwner: { columns: { address: blob, shelf: int, time: int, tie: blob, seq: int }, key: ['address', 'shelf', 'time', 'tie', 'seq'] },
  history: { columns: { subject: blob, kind: int, tx: int }, key: ['subject', 'kind', 'tx'] },
  holder: {
    columns: { address: blob, first: int, seen: int, sent: int },
    key: ['address'],
    indexes: [['first']],
    updated: true,
  },
  active: { columns: { length: int, start: int, seen: int, sent: int }, key: ['length', 'start'], updated: true },
  assetStat: {
    columns: {
      ...{ asset: blob, first: int, last: int, txs: int, supply: blob, nfts: int },
      ...{ holders: int, held: blob, minted: blob, minted_nfts: int },
    },
    key: ['asset'],
  },
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
  minute: { columns: { start: int, txs: int, fees: blob, max_tps: { type: 'real' } }, key: ['start'] },
};

/**
 * Public keys of addresses that have signed an accepted transaction, in a table that all chains share. They belong to no height, so a revert
 * does not remove them. An address may be missing: readers then recover its key from a signature.
 */
export const signerKeySchema: Table = { columns: { address: blob, public_key: blob }, key: ['address'] };
export const signerKeyTable = 'signer_key';

/**
 * Index tables shared by all chains of the database.
 * moved     outputs that moved from one chain to another: put_* is the export, taken_* the import. One of the two is unknown if the other
 *           chain is not indexed here. seen: time of the export or, if unknown, of the import; also the row's time in `moved_owner`.
 *           taken_time without taken_by: known to be spent, by an unknown transaction. The time is that of the source chain's last block
 *           when this became known (ledger/index-write/exported-outputs.ts). bytes: with a checksum at the end, as in `old_utxo`.
 *           put_height is a height of the source, taken_height of the destination.
 * progress  height up to which a chain's index is written. complete_from: height from which its history is complete; above 0 only for a
 *           followed chain with transactions from before linearization, which are in no block. open_buckets: see open-buckets.ts.
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
  progress: { columns: { chain: blob, height: int, complete_from: int, open_buckets: { type: 'text', null: true } }, key: ['chain'] },
};
