import type { Block, BlockTxs, Tx, TxList } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { burnedAmounts, summarizeTx, type TxSummary } from './tx-summary.ts';

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
};

/** A transaction in the table and the map of its block. Amounts are of the fee asset, in its smallest unit. */
export type BlockTx = {
  readonly summary: TxSummary;
  readonly inputs: number;
  readonly outputs: number;
  /** What does not go back to the first sender. */
  readonly moved: string;
  readonly fee: string;
  readonly bytes: number | undefined;
};

/** The most transactions of a block in its map. */
const maxTxs = 600;
/** Rows of a page of the table. */
export const rowsPerPage = 50;
/** Blocks with fewer transactions read each of them by its ID. */
const fewTxs = 8;
const pageSize = 100;

/** `from`: index of a transaction on the wanted page of the table. */
export async function loadBlock(source: Source, context: PageContext, name: string, from: string | null): Promise<BlockData | undefined> {
  const base = chainPath(context);
  const block = await readIfFound<Block>(source, `${base}/blocks/${encodeURIComponent(name)}`);
  if (block === undefined) return undefined;
  const [txs, sizes, next, merkleRoot] = await Promise.all([
    loadBlockTxs(source, base, block),
    loadSizes(source, base, block),
    readIfFound<Block>(source, `${base}/blocks/${Number(block.blockNumber) + 1}`),
    readMerkleRoot(source, context, block),
  ]);
  const { transactions, ...rest } = block;
  const first = firstRow(from, transactions.length);
  const shown = txs.map((tx) => toBlockTx(tx, context.chain.feeAsset, sizes.get(tx.txHash)));
  return {
    block: rest,
    txs: shown,
    rows:
      first + rowsPerPage <= maxTxs
        ? shown.slice(first, first + rowsPerPage)
        : (await readTxs(source, base, transactions.slice(first, first + rowsPerPage))).map((tx) =>
            toBlockTx(tx, context.chain.feeAsset, undefined),
          ),
    first,
    hasNext: next !== undefined,
    merkleRoot,
  };
}

/** The index of the first row of the page that has the wanted one; 0 if there is no such transaction. */
function firstRow(wanted: string | null, count: number): number {
  const index = /^\d{1,9}$/.test(wanted ?? '') ? Number(wanted) : 0;
  return index < count ? index - (index % rowsPerPage) : 0;
}

const readTxs = async (source: Source, base: string, ids: readonly string[], known?: ReadonlyMap<string, Tx>): Promise<Tx[]> =>
  (await Promise.all(ids.map((id) => known?.get(id) ?? readIfFound<Tx>(source, `${base}/transactions/${id}`)))).filter(
    (tx) => tx !== undefined,
  );

/** Transactions are listed by the block's time; those that other blocks of the same second push off the list are read by their IDs. */
async function loadBlockTxs(source: Source, base: string, { transactions, blockTimestamp, blockNumber }: Block): Promise<Tx[]> {
  const wanted = transactions.slice(0, maxTxs);
  const found = new Map<string, Tx>();
  const pages = wanted.length <= fewTxs ? 0 : Math.ceil(wanted.length / pageSize) + 1;
  let token: string | undefined;
  for (let page = 0; page < pages && found.size < wanted.length; page++) {
    const times = `startTimestamp=${blockTimestamp}&endTimestamp=${blockTimestamp}&sortOrder=asc`;
    const list: TxList = await read<TxList>(
      source,
      `${base}/transactions?${times}&pageSize=${pageSize}${token === undefined ? '' : `&pageToken=${token}`}`,
    );
    for (const tx of list.transactions) if (tx.blockHeight === Number(blockNumber)) found.set(tx.txHash, tx);
    token = list.nextPageToken;
    if (token === undefined) break;
  }
  return readTxs(source, base, wanted, found);
}

/** Only the Node RPC has the Merkle root. */
async function readMerkleRoot(source: Source, { has, chain }: PageContext, { blockHash, txCount }: Block): Promise<string | undefined> {
  if (!has.rpc || txCount > pageSize) return undefined;
  const { status, body } = await source.call<{ block: { merkleRoot?: string } }>(chain.rpcUrl, 'avm.getBlock', {
    blockID: blockHash,
    encoding: 'json',
  });
  return status === 200 ? body.result?.block.merkleRoot : undefined;
}

async function loadSizes(source: Source, base: string, { blockNumber, txCount }: Block): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  let token: string | undefined;
  for (let page = 0; page < Math.ceil(Math.min(txCount, maxTxs) / pageSize); page++) {
    const list: BlockTxs = await read<BlockTxs>(
      source,
      `${base}/blocks/${blockNumber}/transactions?pageSize=${pageSize}${token === undefined ? '' : `&pageToken=${token}`}`,
    );
    for (const { txHash, sizeBytes } of list.transactions) sizes.set(txHash, sizeBytes);
    token = list.nextPageToken;
    if (token === undefined) break;
  }
  return sizes;
}

function toBlockTx(tx: Tx, feeAsset: string, bytes: number | undefined): BlockTx {
  const from = tx.consumedUtxos[0]?.addresses[0];
  const moved = tx.emittedUtxos
    .filter(({ asset, addresses }) => asset.assetId === feeAsset && (from === undefined || !addresses.includes(from)))
    .reduce((sum, { asset }) => sum + BigInt(asset.amount), 0n);
  return {
    summary: summarizeTx(tx),
    inputs: tx.consumedUtxos.length,
    outputs: tx.emittedUtxos.length,
    moved: moved.toString(),
    fee: burnedAmounts(tx).find(({ assetId }) => assetId === feeAsset)?.amount ?? '0',
    bytes,
  };
}
