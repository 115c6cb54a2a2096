import { atomicMethods } from '../dev/atomic-methods.ts';
import { stateMethods } from '../dev/state-methods.ts';
import { combineServices, createService, type Services } from '../rpc/method.ts';
import { createChainAddressFormat } from './avm-chain.ts';
import type { ChainSnapshots } from './chain-snapshots.ts';
import type { NetworkContext } from './network-context.ts';
import type { NodeStore } from './node-store.ts';

/** Creates the `dev.*` methods: one line per group of methods. */
export const createDevServices = (store: NodeStore, { chain, specs }: NetworkContext, snapshots: ChainSnapshots): Services =>
  combineServices(
    createService('dev', atomicMethods, {
      aliases: chain.aliases,
      addAtomicUtxo: (from, utxo) => store.putAtomicUtxo(specs[0].id, from, utxo),
    }),
    createService('dev', stateMethods, { ...snapshots, formatAddress: createChainAddressFormat(specs[0].id, chain).format }),
  );
