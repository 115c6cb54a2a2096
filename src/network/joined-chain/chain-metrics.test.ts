import { expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { chainCheck } from '../../base/health/chain-check.ts';
import { formatMetrics } from '../../base/metrics/family.ts';
import { createMetricRegistry } from '../../base/metrics/registry.ts';
import { chainId, createTestTimers, createTestTransport, createTestVm, flush, makeBlock, nodeId } from '../consensus/engine.fixture.ts';
import { defaultEngineParameters } from '../consensus/engine-parameters.ts';
import { defaultGossipParameters } from '../gossip/gossip-parameters.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { chainHealth } from './chain-health.ts';
import { registerChainMetrics } from './chain-metrics.ts';
import { startJoinedChain } from './joined-chain.ts';

const genesis = makeBlock(undefined, 'g');
const [self, peer] = [nodeId(1), nodeId(2)];

/** A chain that has one peer, which answers as an honest node at genesis. */
async function openChain() {
  const transport = createTestTransport(self);
  const timers = createTestTimers();
  const set = new Map([self, peer, nodeId(3)].map((node) => [node, 100n] as const));
  const chain = startJoinedChain({
    chainId,
    vm: createTestVm([genesis]),
    pool: { has: () => false, add: () => true, items: () => [], count: () => 0 },
    transport,
    validators: { current: () => set },
    beacons: () => new Map([[peer, 1n]]),
    stakers: () => set,
    timers,
    unixMilliseconds: timers.now,
    randomBytes: createRandom(1).bytes,
    engineParameters: defaultEngineParameters,
    gossipParameters: defaultGossipParameters,
    events: { onBootstrapped: () => {}, onWarning: () => {}, onFatal: () => {} },
  });
  const answer = async (): Promise<void> => {
    for (const { message } of transport.requests.splice(0)) {
      const { kind, requestId } = message;
      const response = { chainId, requestId };
      if (kind === 'getAcceptedFrontier')
        chain.handler.receive(peer, { kind: 'acceptedFrontier', ...response, containerId: genesis.id } as ChainMessage);
      if (kind === 'getAccepted')
        chain.handler.receive(peer, { kind: 'accepted', ...response, containerIds: [genesis.id] } as ChainMessage);
    }
    await flush();
  };
  const bootstrap = async (): Promise<void> => {
    chain.handler.connected(peer);
    for (let round = 0; round < 6; round++) {
      timers.advance(200);
      await flush();
      await answer();
    }
  };
  return { chain, transport, timers, bootstrap };
}

test('a chain that bootstraps has no consensus details; then those of its engine, and the stake that is connected', async () => {
  const { chain, bootstrap } = await openChain();
  expect(chainHealth(chain)).toEqual({
    consensus: undefined,
    behind: undefined,
    isSplit: false,
    networking: { percentConnected: 1 / 3, disconnectedValidators: expect.any(Array) },
  });
  await bootstrap();
  expect(chain.isBootstrapped()).toBe(true);
  const { consensus, networking } = chainHealth(chain);
  expect([consensus?.processingBlocks, consensus?.lastAcceptedID, networking.disconnectedValidators.length]).toEqual([
    0,
    genesis.id as Id,
    1,
  ]);
  const { error } = await chainCheck(() => chainHealth(chain))();
  expect(error).toBe('not connected to enough stake: connected to 66.666667%; required at least 80.000000%');
  chain.stop();
});

test('queries are dropped while the chain bootstraps, requests are answered', async () => {
  const { chain, transport, bootstrap } = await openChain();
  const query = {
    kind: 'pullQuery',
    chainId,
    requestId: 4,
    deadline: 1n,
    containerId: idOf(Uint8Array.of(3)),
    requestedHeight: 1n,
  } as const;
  chain.handler.receive(peer, query);
  chain.handler.receive(peer, { kind: 'getAcceptedFrontier', chainId, requestId: 5, deadline: 1n });
  expect(transport.sent.map(({ message }) => message.kind)).toEqual(['acceptedFrontier']);
  await bootstrap();
  chain.handler.receive(peer, query);
  expect(transport.sent.at(-1)?.message.kind).toBe('chits');
  chain.stop();
});

test('metrics have the names of AvalancheGo and the label of the chain', async () => {
  const { chain, bootstrap } = await openChain();
  await bootstrap();
  const registry = createMetricRegistry();
  registerChainMetrics(registry, () => [['X', chain]]);
  const text = formatMetrics(registry.families());
  for (const line of [
    'avalanche_snowman_bootstrap_finished{chain="X"} 1',
    'avalanche_snowman_blks_processing{chain="X"} 0',
    'avalanche_snowman_polls_successful{chain="X"} 0',
    'avalanche_snowman_blks_issued{chain="X",source="push_gossip"} 0',
    'avalanche_snowman_bs_accepted{chain="X"} 0',
    'avalanche_snowman_poll_count{chain="X",reason="early_alpha"} 0',
    'avalanche_snowman_consensus_latencies_bucket{chain="X",le="1000000000"} 0',
    'avalanche_avm_tx_gossip_bloomfilter_hit_rate_count{chain="X"} 0',
    'avalanche_avm_mempool_bloom_filter_hashes{chain="X"} 7',
    'avalanche_avm_mempool_bloom_filter_entries{chain="X"} 9815',
    'avalanche_avm_tx_gossip_count{chain="X",io="received",type="push"} 0',
    'avalanche_stake_percent_connected{chain="X"} 0.6666666666666666',
    'avalanche_stake_num_validators{chain="X"} 3',
    'avalanche_stake_total_weight{chain="X"} 300',
    'avalanche_snowman_num_processing_ancestor_fetches_unneeded{chain="X"} 0',
    'avalanche_avm_mempool_count{chain="X"} 0',
  ])
    expect(text).toContain(`\n${line}\n`);
  chain.stop();
});
