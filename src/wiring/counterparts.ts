import { type Id, zeroId } from '../bytes/id.ts';
import { rfc3339 } from '../bytes/rfc3339.ts';
import type { EvmAccounts } from '../genesis/evm-accounts.ts';
import type { NetworkGenesis } from '../genesis/network-genesis.ts';
import type { ChainServices } from '../http/node-routes.ts';
import { avax, notRun, platform } from '../rpc/counterpart.ts';
import { evmServices } from '../rpc/evm.ts';
import { type Missing, type Services, service, servicesOf } from '../rpc/method.ts';
import type { UtxoSource } from '../rpc/utxo-query.ts';
import { type AvmChainSpec, addressesOf, type ChainContext } from './avm-chain.ts';

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

/** What of the node's frame they need. */
export type CounterpartFrame = {
  readonly genesis: NetworkGenesis;
  readonly specs: readonly [AvmChainSpec, ...AvmChainSpec[]];
  readonly p: Counterpart;
  readonly c: Counterpart;
  readonly chain: ChainContext;
};

/**
 * Both as they are served: what clients ask of them on the way to X, and for all else an error that says they do not run here.
 * `following`: the chains run at the followed node, so the accounts of the C-Chain's genesis are not its accounts any more.
 */
export function servedCounterparts(
  { genesis, specs, p, c, chain }: CounterpartFrame,
  atomic: AtomicReads,
  following: boolean,
): ChainServices[] {
  const time = rfc3339(genesis.p.startTime * 1_000_000_000n);
  const pDeps = {
    space: addressesOf(p.id, chain),
    utxos: atomic(p.id),
    height: () => p.height,
    gas: chain.network.gas,
    time,
    stakingAsset: specs[0].genesis.assets[0].tx.id,
  };
  const cDeps = { space: addressesOf(c.id, chain, false), utxos: atomic(c.id), height: () => c.height };
  const missing = (chain: string) => (method: string) => notRun(chain, method);
  return [
    { ...p, services: { '': servicesOf({ ...service('platform', platform, pDeps), missing: missing('P') }) } },
    {
      ...c,
      services: {
        '/avax': servicesOf({ ...service('avax', avax, cDeps), missing: missing('C') }),
        '/rpc': evmRpc(genesis.c.accounts, following, missing('C')),
      },
    },
  ];
}

const evmRpc = (accounts: EvmAccounts | undefined, following: boolean, missing: Missing): Services =>
  accounts === undefined || following
    ? { ...servicesOf(), missing }
    : evmServices({ account: (address) => accounts.get(address) ?? emptyAccount }, missing);

const emptyAccount = { balance: 0n, nonce: 0n };
