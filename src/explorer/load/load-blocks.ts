import type { BlockSummaryList, TxCounts } from '../../api/contract/answers.ts';
import type { SummaryAmount } from '../../api/summary/sentence.ts';
import { type PagerData, parsePlace, placeUrl, readOldest, refusedJump } from './list-place.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

type BlockRow = {
  readonly height: number;
  readonly id: string;
  readonly time: number;
  readonly kinds: TxCounts;
  readonly bytes: number;
  /** Of the fee asset, in its smallest unit. */
  readonly burned: string;
  /** What its transactions move, by asset, and the number of these assets; undefined if those of the page are too many to add up. */
  readonly moved: { readonly amounts: readonly SummaryAmount[]; readonly count: number } | undefined;
};
export type BlocksData = { readonly blocks: readonly BlockRow[]; readonly pager: PagerData };

/** The path of the list. */
export const blocksPath = '/blocks';

/** A page of blocks, newest first. Places are heights. */
export async function loadBlocks(source: Source, context: PageContext, query: URLSearchParams, rows = 50): Promise<BlocksData> {
  const path = `${chainPath(context)}/block-summaries`;
  const place = parsePlace(query);
  const isFirst = place.kind === 'first';
  // Of another page only the height of the newest block is needed.
  const [newest, oldest = 0] = await Promise.all([
    read<BlockSummaryList>(source, isFirst ? `${path}?pageSize=${rows}&withMoved=true` : `${path}?pageSize=1`),
    readOldest(source, context),
  ]);
  const tip = Number(newest.blocks[0]?.blockNumber ?? 0);
  const asked = place.kind === 'from' ? place.height : place.kind === 'last' ? oldest : tip;
  // The last page is full too.
  const from = Math.min(tip, Math.max(asked, oldest + rows - 1));
  const list = isFirst ? newest : await read<BlockSummaryList>(source, `${path}?endBlock=${from}&pageSize=${rows}&withMoved=true`);
  return { blocks: list.blocks.map(toRow), pager: pagerOf({ from, tip, oldest, rows, query }) };
}

type Place = {
  readonly from: number;
  readonly tip: number;
  readonly oldest: number;
  readonly rows: number;
  readonly query: URLSearchParams;
};

function pagerOf({ from, tip, oldest, rows, query }: Place): PagerData {
  const end = Math.max(oldest, from - rows + 1);
  const url = (height: number): string => placeUrl(blocksPath, query, height >= tip ? {} : { from: height });
  return {
    position: { first: tip - from + 1, last: tip - end + 1 },
    total: tip - oldest + 1,
    links: {
      ...(from < tip ? { first: url(tip), newer: url(from + rows) } : {}),
      ...(end > oldest ? { older: url(end - 1), last: url(oldest + rows - 1) } : {}),
    },
    refused: refusedJump(query),
  };
}

const toRow = (block: BlockSummaryList['blocks'][number]): BlockRow => ({
  height: Number(block.blockNumber),
  id: block.blockHash,
  time: block.blockTimestamp,
  kinds: block.txCountByType,
  bytes: block.bytes,
  burned: block.burned,
  moved: block.moved && {
    amounts: block.moved.map((amount) => ({ ...amount, type: 'secp256k1' })),
    count: block.movedAssetCount ?? block.moved.length,
  },
});
