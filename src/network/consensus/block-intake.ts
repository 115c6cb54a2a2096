import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { BlockIssuer } from './block-issuer.ts';
import type { BlockRequests } from './block-requests.ts';
import type { EngineCounters } from './counters.ts';
import type { Decisions } from './decisions.ts';
import type { WaitingJobs } from './waiting-jobs.ts';

type BlockIntakeParts = {
  readonly vm: Pick<Vm, 'parse'>;
  readonly issuer: Pick<BlockIssuer, 'issue'>;
  readonly requests: BlockRequests;
  readonly jobs: WaitingJobs;
  readonly decisions: Pick<Decisions, 'has' | 'stored'>;
  readonly counters: EngineCounters;
};

/** Blocks that peers send. */
export function createBlockIntake({ vm, issuer, requests, jobs, decisions, counters }: BlockIntakeParts) {
  const parse = (bytes: Uint8Array): EngineBlock | undefined => {
    try {
      return vm.parse(bytes);
    } catch {
      return undefined;
    }
  };
  const isUseless = ({ id, height }: EngineBlock): boolean => decisions.has(id) || height <= decisions.stored().height;
  /** A peer did not send the block that it was asked for. */
  const getFailed = (node: NodeId, requestId: number): void => {
    const request = requests.find(node, requestId);
    if (request === undefined) return;
    requests.remove(request.blockId);
    jobs.abandon(request.blockId);
  };
  return {
    getFailed,
    /** The answer to a request, or a block that was not asked for. */
    put: (node: NodeId, requestId: number, bytes: Uint8Array): void => {
      const block = parse(bytes);
      const request = requests.find(node, requestId);
      if (block === undefined || (request !== undefined && request.blockId !== block.id)) return void getFailed(node, requestId);
      if (isUseless(block)) counters.uselessPutBytes += bytes.length;
      issuer.issue(node, block, request?.source ?? 'unknown');
    },
    /** A block that came with a query. */
    push: (node: NodeId, bytes: Uint8Array): void => {
      const block = parse(bytes);
      if (block === undefined) return;
      if (isUseless(block)) counters.uselessPushQueryBytes += bytes.length;
      issuer.issue(node, block, 'push_gossip');
    },
  };
}
