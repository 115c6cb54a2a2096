import type { BlockEntry } from '../../ledger/index-read/index-reads.ts';
import type { JsonBytes } from './json-bytes.ts';

/** Writes the JSON of a block. `builder` is the node that built all blocks except block 0, which is part of the genesis. */
export function writeBlock(
  json: JsonBytes,
  { height, id, parentID, time, size, txCount, txIDTexts }: BlockEntry,
  builder: string | undefined,
): void {
  const quotes = txCount === 0 ? '' : '"';
  json.ascii(`{"blockNumber":"${height}","blockHash":"`);
  json.id(id, 0);
  json.ascii('","parentHash":"');
  json.id(parentID, 0);
  json.ascii(`","blockTimestamp":${time},"blockType":"Standard","txCount":${txCount},"transactions":[${quotes}`);
  json.bytes(txIDTexts);
  const proposer = builder === undefined || height === 0 ? '' : `,"proposerDetails":{"proposerNodeId":"${builder}"}`;
  json.ascii(`${quotes}],"blockSizeBytes":${size}${proposer}}`);
}
