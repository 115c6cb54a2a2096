import type { Block, BlockTxs, Tx } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { slimTx } from './slim.ts';
import { read, readIfFound, type Source } from './source.ts';
import type { TxRow } from './tx-row.ts';

export type BlockData = {
  /** Without the IDs of its transactions. */
  readonly block: Omit<Block, 'transactions'>;
  /** The first transactions of the block in their order, at most `maxTxs`: those of the map. */
  readonly txs: readonly BlockTx[];
  /** The rows of the table; `first` is the index of the first one in the block. */
  readonly rows: readonly BlockTx[];
  readonly first: number;
  /** Whether the next block exists. */
  readonly hasNext: boolean;
  readonly merkleRoot: string | undefined;
  /** The transaction of a block that has only one. */
  readonly only: Tx | undefined;
};

/** A transaction in the table and the map of its block. Amounts are of the fee asset, in its smallest unit. */
export type BlockTx = {
  readonly line: TxRow;
  readonly inputs: number;
  readonly outputs: number;
  /** What goes to other owners or chains. */
  readonly moved: string;
  readonly fee: string;
  readonly bytes: number;
};

/** The most transactions of a block in its map. */
const maxTxs = 600;
/** Rows of a page of the table. */
export const rowsPerPage = 50;
/** Transactions up to which the Merkle root is read, which comes with all of them. */
const maxTxsForRoot = 100;

/** `from`: index of a transaction on the wanted page of the table. */
export async function loadBlock(source: Source, context: PageContext, name: string, from: string | null): Promise<BlockData | undefined> {
  const base = chainPath(context);
  const block = await readIfFound<Block>(source, `${base}/blocks/${encodeURIComponent(name)}`);
  if (block === undefined) return undefined;
  const { transactions, ...rest } = block;
  const first = firstRow(from, transactions.length);
  const [txs, next, merkleRoot, only] = await Promise.all([
    readTxs(source, base, block, Math.max(maxTxs, first + rowsPerPage)),
    readIfFound<Block>(source, `${base}/blocks/${Number(block.blockNumber) + 1}`),
    readMerkleRoot(source, context, block),
    transactions.length === 1 ? readIfFound<Tx>(source, `${base}/transactions/${transactions[0]}`) : undefined,
  ]);
  return {
    block: rest,
    txs: txs.slice(0, maxTxs),
    rows: txs.slice(first, first + rowsPerPage),
    first,
    hasNext: next !== undefined,
    merkleRoot,
    only: only && slimTx(only),
  };
}

/** The index of the first row of the page that has the wanted one; 0 if there is no such transaction. */
function firstRow(wanted: string | null, count: number): number {
  const index = /^\d{1,9}$/.test(wanted ?? '') ? Number(wanted) : 0;
  return index < count ? index - (index % rowsPerPage) : 0;
}

/** The first transactions of a block. A block of 128 KiB, the largest that a node builds, has fewer than 1,000. */
async function readTxs(source: Source, base: string, { blockNumber, blockTimestamp }: Block, count: number): Promise<BlockTx[]> {
  const txs: BlockTx[] = [];
  let token: string | undefined;
  do {
    const list: BlockTxs = await read<BlockTxs>(
      source,
      `${base}/blocks/${blockNumber}/transactions?pageSize=${Math.min(1000, count)}${token === undefined ? '' : `&pageToken=${token}`}`,
    );
    txs.push(...list.transactions.map((tx) => toBlockTx(tx, Number(blockNumber), blockTimestamp)));
    token = list.nextPageToken;
  } while (token !== undefined && txs.length < count);
  return txs;
}

/** Only the Node RPC has the Merkle root. */
async function readMerkleRoot(source: Source, { has, chain }: PageContext, { blockHash, txCount }: Block): Promise<string | undefined> {
  if (!has.rpc || txCount > maxTxsForRoot) return undefined;
  const { status, body } = await source.call<{ block: { merkleRoot?: string } }>(chain.rpcUrl, 'avm.getBlock', {
    blockID: blockHash,
    encoding: 'json',
  });
  return status === 200 ? body.result?.block.merkleRoot : undefined;
}

const toBlockTx = (tx: BlockTxs['transactions'][number], height: number, time: number): BlockTx => ({
  line: { id: tx.txHash, type: tx.txType, height, time, summary: tx.summary },
  inputs: tx.inputCount,
  outputs: tx.outputCount,
  moved: tx.moved,
  fee: tx.burned,
  bytes: tx.sizeBytes,
});
