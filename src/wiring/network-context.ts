import { type Id, zeroId } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import { type Differences, differencesOf } from '../differences.ts';
import type { NetworkGenesis } from '../genesis/network-genesis.ts';
import { isPublic } from '../network.ts';
import { createAliases } from '../rpc/aliases.ts';
import { createLongWork, type LongWork } from '../timing/long-work.ts';
import type { AvmChainSpec, ChainContext } from './avm-chain.ts';
import { chainSpecs } from './chain-specs.ts';
import { type Counterpart, counterpartsOf } from './counterparts.ts';
import type { Env } from './env.ts';

/** What the configuration means, before anything runs: the same in the process that writes and in those that read. */
export type NetworkContext = {
  readonly genesis: NetworkGenesis;
  readonly specs: readonly [AvmChainSpec, ...AvmChainSpec[]];
  readonly p: Counterpart;
  readonly c: Counterpart;
  readonly chain: ChainContext;
  readonly differences: Differences;
  readonly subnetID: Id;
  /** Every chain here belongs to the primary network; of any other chain nothing is known. */
  readonly subnetOf: (chainID: Id) => Id | undefined;
};

export function createNetworkContext(config: Config, env: Env): NetworkContext {
  const { unixSeconds } = env.clock;
  const { genesis, specs } = chainSpecs(config, { readData: env.readData, readText: env.readText, unixSeconds: unixSeconds() });
  const { p, c } = counterpartsOf(genesis);
  const differences = differencesOf(config.strict);
  const aliases = createAliases([...specs, p, c]);
  const known = new Set([...specs, p, c].map(({ id }) => id));
  return {
    genesis,
    specs,
    p,
    c,
    differences,
    chain: { network: config.network, aliases, differences, now: unixSeconds, longWork: longWorkOf(env) },
    subnetID: zeroId,
    subnetOf: (chainID) => (known.has(chainID) ? zeroId : undefined),
  };
}

export const longWorkOf = ({ clock, timers }: Pick<Env, 'clock' | 'timers'>): LongWork =>
  createLongWork({ now: clock.monotonic, soon: timers.soon });

/** On the public networks the X-Chain had a history before its block 0, which no node can give block by block. */
export const hasPreLinearizationHistory = ({ chain }: Pick<NetworkContext, 'chain'>): boolean => isPublic(chain.network.id);
