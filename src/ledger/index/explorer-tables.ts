import type { Table } from './tables.ts';

/** Names of one chain's tables for the explorer routes and for lists of blocks and transactions. They are part of the index and are written with it. */
export const explorerTablesOf = (chain: number) => ({
  assetOwner: `c${chain}_asset_owner`,
  assetCount: `c${chain}_asset_count`,
  blockStat: `c${chain}_block_stat`,
  blockTxIds: `c${chain}_block_tx_ids`,
  txOutputs: `c${chain}_tx_outputs`,
});

export type ExplorerTables = ReturnType<typeof explorerTablesOf>;

const int = { type: 'int' } as const;
const blob = { type: 'blob' } as const;

/**
 * These rows show the chain as of its last block, except those of `block_stat`, `block_tx_ids` and `tx_outputs`, which never change.
 *
 * asset_owner   addresses that have a balance of an asset as only owners, or had one; how much is in `balance`. A row is added with the first
 *               row of the balance and stays, so that a transfer between two of them writes none.
 * asset_count   holders: addresses that alone own unspent outputs of the asset, locked ones included; held: their units, 16 bytes. minted, minted_nfts: units, and NFTs and properties,
 *               that were ever created on this chain, by the creation of the asset and by mint operations.
 * block_stat    of every block with transactions after block 0: bytes of its transactions, burned fees (16 bytes) and the number of transactions of each kind.
 * block_tx_ids  of the same blocks: the IDs of their transactions as text; see tx-id-texts.ts. A table of its own, so that the rows of block_stat stay short.
 * tx_outputs    of nearly every transfer: the numbers of its outputs, and times and owners of the outputs it consumed; see tx-outputs.ts.
 */
export const explorerSchema: { readonly [T in keyof ExplorerTables]: Table } = {
  assetOwner: { columns: { asset: blob, address: blob }, key: ['asset', 'address'] },
  assetCount: { columns: { asset: blob, holders: int, held: blob, minted: blob, minted_nfts: int }, key: ['asset'] },
  blockStat: {
    columns: { height: int, bytes: int, fees: blob, base: int, create_asset: int, operation: int, import: int, export: int },
    key: ['height'],
  },
  blockTxIds: { columns: { height: int, texts: blob }, key: ['height'] },
  txOutputs: { columns: { tx: int, outputs: blob }, key: ['tx'] },
};
