import type { Labels } from '../../api/dev/labels.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { Config } from '../config/config.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { NodeChain } from '../node/node-chain.ts';
import type { NodeStore } from '../node/node-store.ts';
import { createClockPart } from '../node/stored-clock.ts';
import { createLabelsPart } from '../node/stored-labels.ts';
import type { Env } from '../platform/env.ts';
import { type ChainSnapshots, openChainSnapshots } from './chain-snapshots.ts';
import type { SnapshotChain } from './state-replacement.ts';
import { createStateTransfer, type StateTransfer } from './state-transfer.ts';

/** Every way to replace the state of all chains of a node. */
export type NodeState = { readonly snapshots: ChainSnapshots; readonly transfer: StateTransfer };

type NodeStateDeps = {
  readonly config: Config;
  readonly env: Env;
  readonly context: Pick<NetworkContext, 'clock' | 'chain' | 'specs' | 'p' | 'c'>;
  readonly store: NodeStore;
  readonly chains: readonly NodeChain[];
  readonly labels: Labels;
  readonly events: EventBus;
  /** Funds the accounts of chains that are at block 0. */
  readonly fund: () => void;
};

/** Opens snapshots and the state file of a node. After a reset, the accounts are funded again. */
export function openNodeState({ config, env, context, store, chains, labels, events, fund }: NodeStateDeps): NodeState {
  const clock = createClockPart(store.store, context.clock);
  const snapshots = openChainSnapshots({
    nodeStore: store,
    chains: chains as readonly SnapshotChain[] as [SnapshotChain],
    events,
    parts: [clock, createLabelsPart(labels)],
    longWork: context.chain.longWork,
    afterReset: fund,
    reorgDepth: config.reorgDepth,
    keepDeposits: () => keepDeposits(store, context),
  });
  return { snapshots, transfer: createStateTransfer({ config, env, store: store.store, chains, snapshots, clock, labels }) };
}

/** Deposits from P and C are not part of any block of this chain, so a reorg keeps them, as those chains do. */
function keepDeposits({ listPutUtxos, knowsAtomicUtxo, putAtomicUtxo }: NodeStore, { specs, p, c }: NodeStateDeps['context']): () => void {
  const deposits = specs.flatMap(({ id: reader }) =>
    [p.id, c.id].flatMap((from) => listPutUtxos(reader, from).map((utxo) => ({ reader, from, utxo }))),
  );
  return () => {
    for (const { reader, from, utxo } of deposits) if (!knowsAtomicUtxo(reader, from, utxo.id)) putAtomicUtxo(reader, from, utxo);
  };
}
