import type { Block, Tx, TxList } from './data-types.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { burnedAmounts, summarizeTx, type TxSummary } from './tx-summary.ts';

export type BlockData = {
  /** Without the IDs of its transactions. */
  readonly block: Omit<Block, 'transactions'>;
  /** The transactions of the block in their order, at most `maxTxs`. */
  readonly txs: readonly BlockTx[];
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

/** The most transactions of a block that its page shows. */
export const maxTxs = 600;
/** Blocks with fewer transactions read each of them by its ID. */
const fewTxs = 8;
const pageSize = 100;

export async function loadBlock(source: Source, context: PageContext, name: string): Promise<BlockData | undefined> {
  const base = chainPath(context);
  const block = await readIfFound<Block>(source, `${base}/blocks/${encodeURIComponent(name)}`);
  if (block === undefined) return undefined;
  const [txs, sizes, next, merkleRoot] = await Promise.all([
    loadBlockTxs(source, base, block),
    loadSizes(source, base, block),
    readIfFound<Block>(source, `${base}/blocks/${Number(block.blockNumber) + 1}`),
    readMerkleRoot(source, context, block),
  ]);
  const { transactions: _, ...rest } = block;
  return {
    block: rest,
    txs: txs.map((tx) => toBlockTx(tx, context.chain.feeAsset, sizes.get(tx.txHash))),
    hasNext: next !== undefined,
    merkleRoot,
  };
}

/** Transactions are listed by the block's time; those that other blocks of the same second push off the list are read by their IDs. */
async function loadBlockTxs(source: Source, base: string, { transactions, blockTimestamp, blockNumber }: Block): Promise<Tx[]> {
  const wanted = transactions.slice(0, maxTxs);
  const found = new Map<string, Tx>();
  const pages = wanted.length <= fewTxs ? 0 : Math.ceil(wanted.length / pageSize) + 1;
  let token: string | undefined;
  for (let page = 0; page < pages && found.size < wanted.length; page++) {
    const times = `startTimestamp=${blockTimestamp}&endTimestamp=${blockTimestamp}`;
    const list: TxList = await read<TxList>(
      source,
      `${base}/transactions?${times}&pageSize=${pageSize}${token === undefined ? '' : `&pageToken=${token}`}`,
    );
    for (const tx of list.transactions) if (tx.blockHeight === Number(blockNumber)) found.set(tx.txHash, tx);
    token = list.nextPageToken;
    if (token === undefined) break;
  }
  const txs = await Promise.all(wanted.map((id) => found.get(id) ?? readIfFound<Tx>(source, `${base}/transactions/${id}`)));
  return txs.filter((tx) => tx !== undefined);
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

type SizeList = {
  readonly transactions: readonly { readonly txHash: string; readonly sizeBytes: number }[];
  readonly nextPageToken?: string;
};

async function loadSizes(source: Source, base: string, { blockNumber, txCount }: Block): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  let token: string | undefined;
  for (let page = 0; page < Math.ceil(Math.min(txCount, maxTxs) / pageSize); page++) {
    const list: SizeList = await read<SizeList>(
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
