import type { Block, Tx, TxList } from './data-types.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';

export type BlockData = {
  readonly block: Block;
  /** The transactions of the block in their order, at most `maxTxs`. */
  readonly txs: readonly Tx[];
  /** Whether the next block exists. */
  readonly hasNext: boolean;
  readonly merkleRoot: string | undefined;
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
  const [txs, next, merkleRoot] = await Promise.all([
    loadBlockTxs(source, base, block),
    readIfFound<Block>(source, `${base}/blocks/${Number(block.blockNumber) + 1}`),
    readMerkleRoot(source, context, block),
  ]);
  return { block, txs, hasNext: next !== undefined, merkleRoot };
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
