import type { BlockSummaryList } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

type BlockRow = {
  readonly height: number;
  readonly id: string;
  readonly time: number;
  readonly txs: number;
  readonly bytes: number;
};
export type BlocksData = { readonly blocks: readonly BlockRow[]; readonly next: string | undefined };

export async function loadBlocks(source: Source, context: PageContext, page: string | undefined): Promise<BlocksData> {
  const list = await read<BlockSummaryList>(
    source,
    `${chainPath(context)}/block-summaries?pageSize=50${page === undefined ? '' : `&pageToken=${encodeURIComponent(page)}`}`,
  );
  return {
    blocks: list.blocks.map(({ blockNumber, blockHash, blockTimestamp, txCount, bytes }) => ({
      height: Number(blockNumber),
      id: blockHash,
      time: blockTimestamp,
      txs: txCount,
      bytes,
    })),
    next: list.nextPageToken,
  };
}
