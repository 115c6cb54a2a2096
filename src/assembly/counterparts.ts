import { type Id, zeroId } from '../bytes/id.ts';
import { rfc3339 } from '../bytes/rfc3339.ts';
import type { NetworkGenesis } from '../genesis/network-genesis.ts';
import { avax, type CounterpartDeps, notRun, platform } from '../rpc/counterpart.ts';
import { type Services, service, servicesOf } from '../rpc/method.ts';
import type { UtxoSource } from '../rpc/utxo-query.ts';
import { addressSpace, type Surroundings } from './avm-chain.ts';

/** P or C: an identity and the memory it shares with X. Neither runs here, so both stay at height 0. */
export type Counterpart = {
  readonly id: Id;
  readonly aliases: readonly [string, ...string[]];
  /** Block 0; undefined where its bytes cannot be had without running the chain. */
  readonly genesisBlockID: Id | undefined;
  readonly height: bigint;
};

export const counterpartsOf = ({ p, c }: NetworkGenesis): { readonly p: Counterpart; readonly c: Counterpart } => ({
  p: { id: zeroId, aliases: ['P', 'platform'], genesisBlockID: p.genesisBlockID, height: 0n },
  c: { id: c.blockchainID, aliases: ['C', 'evm'], genesisBlockID: c.genesisBlockID, height: 0n },
});

/** Reads what chains have exported to `reader`. */
export type AtomicReads = (reader: Id) => UtxoSource;

export function counterpartServices(
  genesis: NetworkGenesis,
  { p, c }: ReturnType<typeof counterpartsOf>,
  atomic: AtomicReads,
  around: Surroundings,
): { readonly p: Services; readonly cAvax: Services; readonly cRpc: Services } {
  const deps = (chain: Counterpart): CounterpartDeps => ({
    space: addressSpace(chain.id, around),
    utxos: atomic(chain.id),
    height: () => chain.height,
  });
  const time = rfc3339(genesis.p.startTime * 1_000_000_000n);
  const missing = (chain: string) => (method: string) => notRun(chain, method);
  return {
    p: servicesOf({ ...service('platform', platform, { ...deps(p), gas: around.network.gas, time }), missing: missing('P') }),
    cAvax: servicesOf({
      ...service('avax', avax, { ...deps(c), space: { ...addressSpace(c.id, around), ownOutputs: false } }),
      missing: missing('C'),
    }),
    cRpc: { ...servicesOf(), missing: missing('C') },
  };
}
