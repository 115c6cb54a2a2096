import type { ChainServices } from '../../api/http/node-routes.ts';
import { avaxMethods, chainNotRunError, platformMethods } from '../../api/rpc/counterpart.ts';
import { evmServices } from '../../api/rpc/evm.ts';
import { type CreateUnknownMethodError, combineServices, createService, type Services } from '../../api/rpc/method.ts';
import type { ReadUtxoPage } from '../../api/rpc/utxo-query.ts';
import type { NetworkGenesis } from '../../avm/genesis/network-genesis.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { rfc3339 } from '../../base/bytes/rfc3339.ts';
import { createChainAddressFormat } from './chain-services.ts';
import type { AvmChainSpec, ChainContext } from './running-chain.ts';

/** The P- or C-Chain: its ID, and the memory it shares with X. Neither chain runs here, so both stay at height 0. */
export type Counterpart = {
  readonly id: Id;
  readonly aliases: readonly [string, ...string[]];
  /** The ID of block 0; undefined if it cannot be computed without running the chain. */
  readonly genesisBlockID: Id | undefined;
  readonly height: bigint;
};

export const counterpartsOf = ({ p, c }: NetworkGenesis): { readonly p: Counterpart; readonly c: Counterpart } => ({
  p: { id: zeroId, aliases: ['P', 'platform'], genesisBlockID: p.genesisBlockID, height: 0n },
  c: { id: c.blockchainID, aliases: ['C', 'evm'], genesisBlockID: c.genesisBlockID, height: 0n },
});

/** Reads the UTXOs that other chains exported to the chain `reader`. */
type ReadAtomicUtxos = (reader: Id) => ReadUtxoPage;

/** The part of the network context that the services of the P- and C-Chain need. */
type CounterpartContext = {
  readonly genesis: NetworkGenesis;
  readonly specs: readonly [AvmChainSpec, ...AvmChainSpec[]];
  readonly p: Counterpart;
  readonly c: Counterpart;
  readonly chain: ChainContext;
};

/**
 * Creates the services of the P- and C-Chain: the methods that clients need to use X. Any other method is answered with an error that says
 * that the chain does not run here. `runsOnNetwork`: this node follows or has joined a network, which runs the C-Chain, so the balances of its
 * genesis are outdated and not served.
 */
export function createCounterpartServices(
  { genesis, specs, p, c, chain }: CounterpartContext,
  readAtomicUtxos: ReadAtomicUtxos,
  { runsOnNetwork }: { readonly runsOnNetwork: boolean },
): ChainServices[] {
  const time = rfc3339(genesis.p.startTime * 1_000_000_000n);
  const pDeps = {
    addressFormat: createChainAddressFormat(p.id, chain),
    utxos: readAtomicUtxos(p.id),
    height: () => p.height,
    gas: chain.network.gas,
    time,
    stakingAsset: specs[0].genesis.assets[0].tx.id,
  };
  const cDeps = {
    addressFormat: createChainAddressFormat(c.id, chain, { hasOwnOutputs: false }),
    utxos: readAtomicUtxos(c.id),
    height: () => c.height,
  };
  const notRun = (chain: string) => (method: string) => chainNotRunError(chain, method);
  return [
    { ...p, services: { '': combineServices({ ...createService('platform', platformMethods, pDeps), unknownMethodError: notRun('P') }) } },
    {
      ...c,
      services: {
        '/avax': combineServices({ ...createService('avax', avaxMethods, cDeps), unknownMethodError: notRun('C') }),
        '/rpc': createEvmRpc(genesis.c, runsOnNetwork, notRun('C')),
      },
    },
  ];
}

const createEvmRpc = (
  { accounts, evmChainID }: NetworkGenesis['c'],
  runsOnNetwork: boolean,
  notRunError: CreateUnknownMethodError,
): Services =>
  accounts === undefined || runsOnNetwork
    ? { ...combineServices(), unknownMethodError: notRunError }
    : evmServices({ chainID: evmChainID, account: (address) => accounts.get(address) ?? emptyAccount }, notRunError);

const emptyAccount = { balance: 0n, nonce: 0n };
