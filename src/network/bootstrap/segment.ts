import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AncestorFetcher } from './ancestor-fetcher.ts';
import { noBlocks } from './fault.ts';

/** A part of the chain that is fetched as a whole: the blocks above `below` up to the one with this ID. */
export type Segment = { readonly below: bigint; readonly top: bigint; readonly topId: Id };

/** The most blocks of a segment. They are held in memory until they are executed. */
export const maxSegmentBlocks = 8192;

/** Fetches the blocks of a segment, lowest first. `onFetched` is told how many blocks came. */
export async function fetchSegment(
  { below, top, topId }: Segment,
  fetcher: AncestorFetcher,
  onFetched: (blocks: number) => void,
): Promise<EngineBlock[]> {
  const blocks: EngineBlock[] = [];
  let wanted = topId;
  for (let height = top; height > below; ) {
    const fetched = await fetcher.fetch(wanted, Number(height - below));
    const [first] = fetched ?? [];
    if (fetched === undefined || first === undefined) throw noBlocks(`no peer sent block ${wanted}`);
    if (first.height !== height) throw noBlocks(`block ${wanted} has height ${first.height}, not ${height}`);
    for (const block of fetched) blocks.push(block);
    onFetched(fetched.length);
    const lowest = fetched.at(-1) as EngineBlock;
    height = lowest.height - 1n;
    wanted = lowest.parentID;
  }
  return blocks.reverse();
}
