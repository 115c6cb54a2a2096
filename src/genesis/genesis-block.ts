import { type Id, idOf, zeroId } from '../bytes/id.ts';
import { Writer } from '../codec/writer.ts';
import { type Block, makeBlock } from '../tx/block.ts';

/**
 * Block 0 of an AVM chain: empty, at the time of Cortina, on top of the vertex that stopped the DAG. That vertex is well known for the
 * X-Chain of fuji and mainnet; everywhere else it is the stop vertex of an empty DAG. Peer: vms/avm/vm.go, Linearize; chains/manager.go.
 */
export const genesisBlock = (blockchainID: Id, cortinaTime: bigint, knownStopVertexID: Id = zeroId): Block =>
  makeBlock({
    parentID: knownStopVertexID === zeroId ? stopVertexId(blockchainID) : knownStopVertexID,
    height: 0n,
    time: cortinaTime,
    txs: [],
  });

/** A vertex of codec version 1 with no parents. Peer: snow/engine/avalanche/vertex, BuildStopVertex. */
export function stopVertexId(blockchainID: Id): Id {
  const writer = new Writer();
  writer.u16(1);
  writer.hex(blockchainID);
  writer.u64(0n);
  writer.u32(0);
  return idOf(writer.finish());
}
