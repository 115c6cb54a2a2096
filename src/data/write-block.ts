import { idText } from '../bytes/id.ts';
import type { BlockEntry } from '../index-read/index-reads.ts';

/** The JSON of a block. `builder` is the node that built all blocks except block 0, which is part of the genesis. */
export function writeBlock({ height, id, parentID, time, size, txIDs }: BlockEntry, builder: string | undefined): string {
  const txs = txIDs.length === 0 ? '' : `"${txIDs.map(idText).join('","')}"`;
  const proposer = builder === undefined || height === 0 ? '' : `,"proposerDetails":{"proposerNodeId":"${builder}"}`;
  return (
    `{"blockNumber":"${height}","blockHash":"${idText(id)}","parentHash":"${idText(parentID)}","blockTimestamp":${time},` +
    `"blockType":"Standard","txCount":${txIDs.length},"transactions":[${txs}],"blockSizeBytes":${size}${proposer}}`
  );
}
