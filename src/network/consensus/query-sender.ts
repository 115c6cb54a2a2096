import type { Id } from '../../base/bytes/id.ts';
import type { ChainLink } from '../protocol/transport.ts';
import type { Validators } from '../protocol/validators.ts';
import type { Consensus } from '../snowman/consensus.ts';
import type { Polls } from '../snowman/polls.ts';
import type { ConnectedValidators } from './connected-validators.ts';
import type { EngineParameters } from './engine-parameters.ts';
import { sampleUnits } from './weighted-sample.ts';

/** Asks validators what they prefer. AvalancheGo: snow/engine/snowman/engine.go, sendQuery, repoll and Gossip. */
type QuerySender = {
  /** Opens a poll about a block. With `bytes` the block itself is sent. */
  readonly poll: (id: Id, bytes?: Uint8Array) => void;
  /** Opens polls about the preferred block until enough are open. */
  readonly repoll: () => void;
  /** Asks one peer for its frontier. The answer is not a vote; it only tells of blocks. */
  readonly askFrontier: () => void;
};

type QueryParts = ChainLink & {
  readonly parameters: EngineParameters;
  readonly validators: Pick<Validators, 'current'>;
  readonly connected: ConnectedValidators;
  readonly consensus: Pick<Consensus, 'lastAccepted' | 'preference'>;
  readonly polls: Polls;
  readonly nextRequestId: () => number;
  readonly onOpened: (requestId: number) => void;
};

export function createQuerySender(parts: QueryParts): QuerySender {
  const { chainId, parameters, transport, validators, connected, consensus, polls } = parts;
  const minShare = parameters.alphaConfidence / parameters.k;

  const head = (requestId: number) => ({
    chainId,
    requestId,
    deadline: 0n,
    requestedHeight: consensus.lastAccepted().height + 1n,
  });
  /** Returns false if no poll was opened: too little stake is connected, or there is less stake than a poll samples. */
  const poll = (id: Id, bytes?: Uint8Array): boolean => {
    if (connected.share() < minShare) return false;
    const sampled = sampleUnits(validators.current(), parameters.k, parts.randomBytes);
    if (sampled === undefined) return false;
    const requestId = parts.nextRequestId();
    if (!polls.open(requestId, sampled)) return false;
    parts.onOpened(requestId);
    const to = [...sampled.keys()];
    if (bytes === undefined) transport.request({ kind: 'pullQuery', containerId: id, ...head(requestId) }, to);
    else transport.request({ kind: 'pushQuery', container: bytes, ...head(requestId) }, to);
    return true;
  };

  return {
    poll,
    repoll: () => {
      while (polls.count() < parameters.concurrentRepolls && poll(consensus.preference()));
    },
    askFrontier: () => {
      const node = connected.sample();
      if (node === undefined) return;
      transport.request({ kind: 'pullQuery', containerId: consensus.preference(), ...head(parts.nextRequestId()) }, [node]);
    },
  };
}
