import type { BlockEntry } from '../index-read/index-reads.ts';
import type { JsonBytes } from './json-bytes.ts';

/** Writes the JSON of a block. `builder` is the node that built all blocks except block 0, which is part of the genesis. */
export function writeBlock(json: JsonBytes, { height, id, parentID, time, size, txIDs }: BlockEntry, builder: string | undefined): void {
  json.ascii(`{"blockNumber":"${height}","blockHash":"`);
  json.id(id, 0);
  json.ascii('","parentHash":"');
  json.id(parentID, 0);
  json.ascii(`","blockTimestamp":${time},"blockType":"Standard","txCount":${txIDs.length},"transactions":[`);
  for (const [i, txID] of txIDs.entries()) {
    json.ascii(i === 0 ? '"' : '","');
    json.id(txID, 0);
  }
  const proposer = builder === undefined || height === 0 ? '' : `,"proposerDetails":{"proposerNodeId":"${builder}"}`;
  json.ascii(`${txIDs.length === 0 ? '' : '"'}],"blockSizeBytes":${size}${proposer}}`);
}
