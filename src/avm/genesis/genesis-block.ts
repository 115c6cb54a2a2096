import { type Id, idOf, zeroId } from '../../base/bytes/id.ts';
import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import type { Upgrades } from '../network.ts';
import { type Block, makeBlock } from '../tx/block.ts';
import { packVertex } from '../tx/vertex.ts';

/**
 * Block 0 of an AVM chain: no transactions, the time of Cortina, and the stop vertex of the DAG as parent. For the X-Chain of fuji and
 * mainnet the stop vertex is a constant; for all others it is that of an empty DAG. AvalancheGo: vms/avm/vm.go, Linearize; chains/manager.go.
 */
export const genesisBlock = (
  blockchainID: Id,
  { cortinaTime, cortinaXChainStopVertexID }: Pick<Upgrades, 'cortinaTime' | 'cortinaXChainStopVertexID'>,
): Block =>
  makeBlock({
    parentID: cortinaXChainStopVertexID === zeroId ? stopVertexId(blockchainID) : cortinaXChainStopVertexID,
    height: 0n,
    // As a u64, like AvalancheGo: a time that an upgrade file leaves out is before 1970.
    time: BigInt.asUintN(64, parseRfc3339(cortinaTime) as bigint),
    txs: [],
  });

/** ID of the stop vertex of an empty DAG. AvalancheGo: snow/engine/avalanche/vertex, BuildStopVertex. */
export const stopVertexId = (blockchainID: Id): Id => idOf(packVertex({ chainID: blockchainID, height: 0n, parentIDs: [], txs: [] }));
