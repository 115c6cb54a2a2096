import type { ServedChain } from '../../api/rest/served-chains.ts';
import type { Services } from '../../api/rpc/method.ts';
import { startProgress } from '../../base/log/progress.ts';
import type { SqliteIndex } from '../../ledger/index-sqlite/sqlite-index.ts';
import type { Env, ProcessEnv, TimeEnv } from '../platform/env.ts';
import { createChainServices } from './chain-services.ts';
import { type Fetches, withFetchedFirst } from './fetch-first.ts';
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
    readonly origin: ChainOrigin;
  };

/** What the Data and Metrics APIs must know of where the blocks of a chain come from. */
export type ChainOrigin = Pick<ServedChain, 'status' | 'unavailable' | 'backfillAddresses' | 'foreignImports' | 'vertices'>;

/** Of a chain whose blocks this node decides alone: whatever can be known of it is stored here. */
export const ownOrigin: ChainOrigin = { status: () => 'OK', backfillAddresses: undefined };

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

/** Combines a running chain with its stored state (`opening`) into what the servers read. */
export function createNodeChain({
  running,
  opening: { opened, catchUpIndex },
  context,
  origin,
  fetches = {},
  backfillRevision = opened.backfillRevision,
}: {
  readonly running: RunningChain;
  readonly opening: ReturnType<typeof openIndexedChain>;
  readonly context: NetworkContext;
  readonly origin: ChainOrigin;
  /** What methods of `avm` fetch from another node before they read. */
  readonly fetches?: Fetches;
  /** Counts facts that became known after the blocks they belong to were indexed; if it is left out, those that the store counts. */
  readonly backfillRevision?: (() => number) | undefined;
}): NodeChain {
  const { reads, history, explorer, ledger, initialize } = opened;
  const { avm, wallet } = createChainServices(running.spec, reads, running.txIssuer, context.chain);
  return {
    ...running,
    opened,
    reads,
    history,
    explorer,
    backfillRevision,
    findUtxo: ledger.utxo,
    initialize,
    catchUpIndex,
    services: { avm: withFetchedFirst(avm, fetches), wallet },
    origin,
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
