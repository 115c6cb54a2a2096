import type { Table } from './tables.ts';

/** Names of one chain's tables for the explorer routes and for lists of blocks and transactions. They are part of the index and are written with it. */
export const explorerTablesOf = (chain: number) => ({
  assetHolder: `c${chain}_asset_holder`,
  assetCount: `c${chain}_asset_count`,
  blockStat: `c${chain}_block_stat`,
  blockTxIds: `c${chain}_block_tx_ids`,
});

export type ExplorerTables = ReturnType<typeof explorerTablesOf>;

const int = { type: 'int' } as const;
const blob = { type: 'blob' } as const;

/**
 * These rows show the chain as of its last block, except those of `block_stat` and `block_tx_ids`, which never change.
 *
 * asset_holder  addresses that alone own unspent outputs of an asset, locked ones included. amount: units, 16 bytes; nfts: NFTs and
 *               properties. An address without any has no row. The index on the amount lists the largest holders.
 * asset_count   holders: rows of the asset in asset_holder; held: their units, 16 bytes. minted, minted_nfts: units, and NFTs and properties,
 *               that were ever created on this chain, by the creation of the asset and by mint operations.
 * block_stat    of every block with transactions after block 0: bytes of its transactions, burned fees (16 bytes) and the number of transactions of each kind.
 * block_tx_ids  of the same blocks: the IDs of their transactions as text; see tx-id-texts.ts. A table of its own, so that the rows of block_stat stay short.
 */
export const explorerSchema: { readonly [T in keyof ExplorerTables]: Table } = {
  assetHolder: {
    columns: { asset: blob, address: blob, amount: blob, nfts: int },
    key: ['asset', 'address'],
    indexes: [['asset', 'amount', 'nfts', 'address']],
  },
  assetCount: { columns: { asset: blob, holders: int, held: blob, minted: blob, minted_nfts: int }, key: ['asset'] },
  blockStat: {
    columns: { height: int, bytes: int, fees: blob, base: int, create_asset: int, operation: int, import: int, export: int },
    key: ['height'],
  },
  blockTxIds: { columns: { height: int, texts: blob }, key: ['height'] },
};
