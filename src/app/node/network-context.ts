import { type Differences, differencesOf } from '../../api/differences.ts';
import { mapNonEmpty, type NetworkDescription } from '../../api/rest/served-network.ts';
import { createAliases } from '../../api/rpc/aliases.ts';
import type { NetworkGenesis } from '../../avm/genesis/network-genesis.ts';
import { isPublicNetwork } from '../../avm/network.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { type ChainClock, createChainClock } from '../../base/timing/chain-clock.ts';
import { createLongWork, type LongWork } from '../../base/timing/long-work.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../platform/env.ts';
import { limitCaches } from './cache-budget.ts';
import { loadChainSpecs } from './chain-specs.ts';
import { type Counterpart, counterpartsOf } from './counterparts.ts';
import type { AvmChainSpec, ChainContext } from './running-chain.ts';

/** The network and its chains, derived from the configuration before anything runs; the same in the writer and in the reader processes. */
export type NetworkContext = {
  readonly genesis: NetworkGenesis;
  readonly specs: readonly [AvmChainSpec, ...AvmChainSpec[]];
  readonly p: Counterpart;
  readonly c: Counterpart;
  readonly chain: ChainContext;
  readonly clock: ChainClock;
  readonly differences: Differences;
  readonly subnetID: Id;
  /** The primary network for the chains of this node; undefined for any other chain. */
  readonly subnetOf: (chainID: Id) => Id | undefined;
};

export function createNetworkContext(config: Config, env: Env): NetworkContext {
  const clock = createChainClock(env.clock);
  const { genesis, specs } = loadChainSpecs(config, {
    readData: env.readData,
    readText: env.readText,
    unixSeconds: env.clock.unixSeconds(),
  });
  const { p, c } = counterpartsOf(genesis);
  const differences = differencesOf(config.strict);
  const aliases = createAliases([...specs, p, c]);
  // A setting of the whole process. It is made here because everything that has a cache is created or opened later.
  limitCaches(config, env);
  const known = new Set([...specs, p, c].map(({ id }) => id));
  return {
    genesis,
    specs,
    p,
    c,
    differences,
    clock,
    chain: {
      network: config.network,
      aliases,
      differences,
      now: clock.unixSeconds,
      longWork: createNodeLongWork(env),
    },
    subnetID: zeroId,
    subnetOf: (chainID) => (known.has(chainID) ? zeroId : undefined),
  };
}

export const createNodeLongWork = ({ clock, timers }: Pick<Env, 'clock' | 'timers'>): LongWork =>
  createLongWork({ now: clock.monotonic, soon: timers.soon });

/** Whether the X-Chain has a history from before linearization. It has on the public networks, and no node can serve that history as blocks. */
export const hasPreLinearizationHistory = ({ chain }: Pick<NetworkContext, 'chain'>): boolean => isPublicNetwork(chain.network.id);

/** The network and its chains as the Data and Metrics APIs are told of them. */
export const describeNetwork = ({ specs, p, c, genesis, chain: { network } }: NetworkContext): NetworkDescription => ({
  network: { id: network.id, name: network.name, hrp: network.hrp, startTime: Number(genesis.p.startTime) },
  chains: mapNonEmpty(specs, ({ id, aliases, genesis: { bytes, assets } }) => ({
    id: idText(id),
    aliases,
    feeAsset: idText(assets[0].tx.id),
    genesis: toHex(bytes),
  })),
  counterparts: [
    { id: idText(p.id), alias: p.aliases[0], evmChainId: 0 },
    { id: idText(c.id), alias: c.aliases[0], evmChainId: genesis.c.evmChainID },
  ],
});
