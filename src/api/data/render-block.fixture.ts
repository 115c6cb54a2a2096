import { idFromBytes, idText } from '../../base/bytes/id.ts';
import type { BlockEntry } from '../../ledger/index-read/index-reads.ts';

const textOf = (id: Uint8Array): string => idText(idFromBytes(id));

/** `builder` is the node that built all blocks except block 0, which is part of the genesis. */
export const renderBlock = ({ height, id, parentID, time, size, txCount, txIDTexts }: BlockEntry, builder: string | undefined) => ({
  blockNumber: height.toString(),
  blockHash: textOf(id),
  parentHash: textOf(parentID),
  blockTimestamp: time,
  blockType: 'Standard',
  txCount,
  transactions: txCount === 0 ? [] : Buffer.from(txIDTexts).toString().split('","'),
  blockSizeBytes: size,
  proposerDetails: builder === undefined || height === 0 ? undefined : { proposerNodeId: builder },
});
