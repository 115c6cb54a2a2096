import { nodeIdText } from '../../base/bytes/node-id.ts';
import { type ChainHealthState, findIsolation, findStaleReason } from '../../base/health/chain-check.ts';
import type { JoinedChainState } from './joined-chain.ts';

const nanosPerMillisecond = 1_000_000;
const nanos = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * nanosPerMillisecond));

/** What `chainCheck` reads of a joined chain. Without consensus details while the chain bootstraps, as in AvalancheGo. */
export function chainHealth(chain: Pick<JoinedChainState, 'engine' | 'networking' | 'lag' | 'bootstrap'>): ChainHealthState {
  const engine = chain.engine();
  return {
    ...decidedState(chain),
    consensus: engine && {
      avgAcceptanceTime: nanos(engine.averageAcceptance),
      lastAcceptedHeight: engine.lastAccepted.height,
      lastAcceptedID: engine.lastAccepted.id,
      longestProcessingBlock: nanos(engine.longestProcessing),
      processingBlocks: engine.processingBlocks,
    },
    networking: formatNetworking(chain.networking()),
  };
}

/** What tells whether a chain keeps up: it is read for every answer of the APIs. */
function decidedState(chain: Pick<JoinedChainState, 'engine' | 'lag' | 'bootstrap'>): Pick<ChainHealthState, 'behind' | 'isSplit'> {
  const lag = chain.lag();
  return {
    behind: lag && { majorityHeight: lag.majorityHeight, ownHeight: chain.bootstrap().height, time: nanos(lag.milliseconds) },
    isSplit: chain.engine()?.isSplit() ?? false,
  };
}

/** Why what a joined chain serves is too old; undefined while the chain keeps up with the network. */
export function describeStaleness(
  chain: Pick<JoinedChainState, 'engine' | 'lag' | 'bootstrap' | 'isBootstrapping' | 'isolation'>,
): string | undefined {
  const { height, tipHeight } = chain.bootstrap();
  // Without sybil protection only connected nodes are validators: a node without peers has heard from all of the stake, its own.
  if (!chain.isBootstrapping()) return findStaleReason(decidedState(chain)) ?? findIsolation(nanos(chain.isolation()), height);
  return `bootstrapping: it is at height ${height}${tipHeight === undefined ? '' : ` of ${tipHeight}`}`;
}

/** The connected stake with the texts of node IDs. AvalancheGo: snow/networking/handler/health.go. */
export const formatNetworking = ({ percentConnected, disconnectedValidators }: ReturnType<JoinedChainState['networking']>) => ({
  percentConnected,
  disconnectedValidators: disconnectedValidators.map(nodeIdText).sort(),
});
