import { type Id, idLength } from '../../base/bytes/id.ts';
import { createIdTextWriter, maxIdText } from '../../base/bytes/id-text.ts';
import type { Table } from './tables.ts';

/** Names of one chain's tables for the explorer routes and for lists of blocks and transactions. They are part of the index and are written with it. */
export const explorerTablesOf = (chain: number) => ({
  assetOwner: `c${chain}_asset_owner`,
  blockTxIds: `c${chain}_block_tx_ids`,
});

export type ExplorerTables = ReturnType<typeof explorerTablesOf>;

const int = { type: 'int' } as const;
const blob = { type: 'blob' } as const;

/**
 * These rows show the chain as of its last block, except those of `block_tx_ids`, which never change.
 *
 * asset_owner   addresses that have a balance of an asset as only owners, or had one; how much is in `balance`. A row is added with the first
 *               row of the balance and stays, so that a transfer between two of them writes none.
 * block_tx_ids  of blocks with more than `maxDerivedIds` transactions: their IDs as text; see `joinIdTexts`.
 */
export const explorerSchema: { readonly [T in keyof ExplorerTables]: Table } = {
  assetOwner: {
    columns: { asset: blob, address: blob },
    key: ['asset', 'address'],
  },
  blockTxIds: {
    columns: { height: int, texts: blob },
    key: ['height'],
    partitions: { by: 'height', counts: 'height', step: 1 },
  },
};

/**
 * The CB58 texts of transaction IDs as they stand in a JSON list, without the outer quotes: joined by `","`. They are stored for large blocks,
 * because reading and encoding thousands of IDs was most of the time of a page of such blocks: 5.4 ms instead of 1.3 ms.
 */
export function joinIdTexts(ids: readonly Id[]): Uint8Array {
  const texts = Buffer.allocUnsafe(ids.length * (maxIdText + separator.length));
  let end = 0;
  for (const id of ids) {
    if (end > 0) end += texts.write(separator, end, 'latin1');
    idBytes.write(id, 'hex');
    end = writeIdText(idBytes, 0, texts, end);
  }
  return Uint8Array.prototype.slice.call(texts, 0, end);
}

const separator = '","';
/** Not `idText`: the IDs of new transactions are in no cache. */
const writeIdText = createIdTextWriter();
const idBytes = Buffer.alloc(idLength);

/** Transactions of a block whose IDs are made from `tx` on reading: for a page of 100 such blocks that takes no longer than reading stored texts. */
export const maxDerivedIds = 4;
