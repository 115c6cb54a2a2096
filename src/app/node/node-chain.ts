import type { Services } from '../../api/rpc/method.ts';
import { startProgress } from '../../base/log/progress.ts';
import type { Fork } from '../../chain/fork/fork.ts';
import type { SqliteIndex } from '../../ledger/index-sqlite/sqlite-index.ts';
import type { Env, ProcessEnv, TimeEnv } from '../platform/env.ts';
import { createChainServices } from './chain-services.ts';
import type { NetworkContext } from './network-context.ts';
import type { NodeStore, OpenedChain } from './node-store.ts';
import type { AvmChainSpec, RunningChain } from './running-chain.ts';

/** A running chain with its stored state and its RPC services. */
export type NodeChain = RunningChain &
  Pick<OpenedChain, 'reads' | 'history' | 'explorer' | 'initialize'> & {
    readonly opened: OpenedChain;
    readonly backfillRevision: () => number;
    readonly findUtxo: OpenedChain['ledger']['utxo'];
    readonly catchUpIndex: () => void;
    readonly services: { readonly avm: Services; readonly wallet: Services };
    /** Undefined unless the chain began with outputs of a live node. */
    readonly fork?: Fork | undefined;
  };

/** The chains of a node; the first one is the X-Chain. */
export type NodeChains = readonly [NodeChain, ...NodeChain[]];

/** Opens the state of a chain and indexes what its index lacks: blocks that were accepted while the node ran without an index. */
export function openIndexedChain(store: Pick<NodeStore, 'openChain'>, spec: AvmChainSpec, env: Env) {
  const opened = store.openChain(spec);
  const catchUp = (): void => {
    if (opened.index !== undefined) catchUpIndex(opened.index, env);
  };
  catchUp();
  return { opened, catchUpIndex: catchUp };
}

/** Joins a running chain to its stored state. */
export function createNodeChain(
  running: RunningChain,
  { opened, catchUpIndex }: ReturnType<typeof openIndexedChain>,
  context: NetworkContext,
): NodeChain {
  const { reads, history, explorer, ledger, initialize, backfillRevision } = opened;
  return {
    ...running,
    opened,
    reads,
    history,
    explorer,
    backfillRevision: running.backfillRevision ?? backfillRevision,
    findUtxo: ledger.utxo,
    initialize,
    catchUpIndex,
    services: createChainServices(running.spec, reads, running.txIssuer, context.chain),
  };
}

/** Stops a chain: from then on it adds no blocks. */
export async function stopChain({ engine, follower }: RunningChain): Promise<void> {
  engine.stop();
  await follower?.stop();
}

function catchUpIndex(index: SqliteIndex, env: ProcessEnv & TimeEnv): void {
  const progress = startProgress(env.clock.monotonic);
  for (const step of index.catchUp()) env.showProgress(progress(step));
  env.showProgress(undefined);
}
