import { idText } from '../bytes/id.ts';
import type { BlockEntry } from '../index-read/index-reads.ts';

/** `builder` is the node that built all blocks except block 0, which is part of the genesis. */
export const renderBlock = ({ height, id, parentID, time, size, txIDs }: BlockEntry, builder: string | undefined) => ({
  blockNumber: height.toString(),
  blockHash: idText(id),
  parentHash: idText(parentID),
  blockTimestamp: time,
  blockType: 'Standard',
  txCount: txIDs.length,
  transactions: txIDs.map(idText),
  blockSizeBytes: size,
  proposerDetails: builder === undefined || height === 0 ? undefined : { proposerNodeId: builder },
});
