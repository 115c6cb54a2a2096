import type { Table } from './tables.ts';

/** Names of one chain's tables for the explorer routes and for lists of blocks and transactions. They are part of the index and are written with it. */
export const explorerTablesOf = (chain: number) => ({
  assetHolder: `c${chain}_asset_holder`,
  blockTxIds: `c${chain}_block_tx_ids`,
});

export type ExplorerTables = ReturnType<typeof explorerTablesOf>;

const int = { type: 'int' } as const;
const blob = { type: 'blob' } as const;

/**
 * These rows show the chain as of its last block, except those of `block_tx_ids`, which never change.
 *
 * asset_holder  addresses that alone own unspent outputs of an asset, locked ones included. amount: units, 16 bytes; nfts: NFTs and
 *               properties. An address without any has no row. The index on the amount lists the largest holders.
 * block_tx_ids  of blocks with more than `maxDerivedIds` transactions: their IDs as text; see tx-id-texts.ts.
 */
export const explorerSchema: { readonly [T in keyof ExplorerTables]: Table } = {
  assetHolder: {
    columns: { asset: blob, address: blob, amount: blob, nfts: int },
    key: ['asset', 'address'],
    indexes: [['asset', 'amount', 'nfts', 'address']],
  },
  blockTxIds: { columns: { height: int, texts: blob }, key: ['height'] },
};
