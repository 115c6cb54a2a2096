import type { Services } from '../../api/rpc/method.ts';
import type { Account } from '../../avm/wallet/accounts.ts';
import type { Fork } from '../../chain/fork/fork.ts';
import type { Impersonation } from '../../chain/lifecycle/impersonation.ts';
import type { SqliteIndex } from '../../ledger/index-sqlite/sqlite-index.ts';
import type { NewBlock } from '../../ledger/state/block-change.ts';
import type { Config } from '../config/config.ts';
import { startProgress } from '../log/progress.ts';
import {
  type AvmChainSpec,
  createChainAddressFormat,
  createChainServices,
  type RunningChain,
  runChain,
  type WriterDeps,
} from '../setup/avm-chain.ts';
import type { CloseStack } from '../setup/close-stack.ts';
import type { Env } from '../setup/env.ts';
import type { NetworkContext } from '../setup/network-context.ts';
import type { NodeStore, OpenedChain } from '../setup/node-store.ts';
import { fundAccounts } from './account-funding.ts';
import { startFollowedChain } from './follow.ts';
import { openFork, withForkedReads } from './fork.ts';
import type { JoinedNetwork } from './joined-network.ts';

/** A running chain with its stored state and its RPC services. */
export type NodeChain = RunningChain &
  Pick<OpenedChain, 'reads' | 'history' | 'explorer' | 'initialize'> & {
    readonly opened: OpenedChain;
    readonly fork: Fork | undefined;
    readonly backfillRevision: () => number;
    readonly findUtxo: OpenedChain['ledger']['utxo'];
    readonly catchUpIndex: () => void;
    /** Funds the accounts of the developer's chain, if the chain is new. */
    readonly fund: () => void;
    readonly services: { readonly avm: Services; readonly wallet: Services };
  };

export type NodeChainDeps = {
  readonly config: Config;
  readonly env: Env;
  readonly context: NetworkContext;
  readonly store: NodeStore;
  readonly deps: WriterDeps;
  /** At least the default sender. */
  readonly accounts: readonly [Account, ...Account[]];
  readonly closing: CloseStack;
  /** The network of peers; undefined unless this node joins one. */
  readonly network: JoinedNetwork | undefined;
};

/** Opens a chain, indexes what its index lacks, funds its accounts, and starts it: alone, by following another node, or on a network of peers. */
export async function startNodeChain(
  spec: AvmChainSpec,
  { config, env, context, store, deps, accounts, closing, network }: NodeChainDeps,
): Promise<NodeChain> {
  const isMainChain = spec === context.specs[0];
  const opened = store.openChain(spec);
  const catchUp = (): void => {
    if (opened.index !== undefined) catchUpIndex(opened.index, env);
  };
  catchUp();
  const fork = config.fork && isMainChain ? await openFork(config.fork.url, env, context, store, opened) : undefined;
  if (fork !== undefined) closing.add(async () => fork.stop());
  await fork?.fetchFirst(
    accounts.map(({ key }) => key.address),
    config.fork?.addresses ?? [],
  );
  const fund = (): void => {
    fork?.addFirst();
    if (isMainChain && config.mode.kind === 'solo')
      fundAccounts({
        spec,
        opened,
        store,
        accounts,
        balance: config.accounts.balance,
        depositChain: context.p.id,
        verifier: deps,
        spendsGenesis: fork === undefined,
      });
  };
  fund();
  const running =
    config.mode.kind === 'follow'
      ? await startFollowedChain(config.mode.url, env, context, opened, deps)
      : network !== undefined
        ? network.runChain(spec, opened, deps)
        : runChain(spec, markImpersonated(opened, deps.impersonation), { ...deps, fork });
  closing.add(async () => {
    running.engine.stop();
    await running.follower?.stop();
  });
  const { reads, history, explorer, ledger, initialize } = opened;
  const ownRevision = running.backfillRevision ?? opened.backfillRevision;
  const services = createChainServices(spec, reads, running.txIssuer, context.chain);
  return {
    ...running,
    fork,
    opened,
    reads,
    history,
    explorer,
    backfillRevision: () => ownRevision() + (fork?.revision() ?? 0),
    findUtxo: ledger.utxo,
    initialize,
    catchUpIndex: catchUp,
    fund,
    services: fork ? { ...services, avm: withForkedReads(fork, createChainAddressFormat(spec.id, context.chain), services.avm) } : services,
  };
}

/** The ledger of a chain that marks transactions accepted for impersonated addresses when it stores them. */
const markImpersonated = ({ ledger, accept }: OpenedChain, impersonation: Impersonation | undefined): OpenedChain['ledger'] =>
  impersonation === undefined ? ledger : { ...ledger, commitAll: (blocks, more) => accept(blocks.map(withMarks(impersonation)), more) };

const withMarks =
  ({ markedIn }: Impersonation) =>
  (accepted: NewBlock): NewBlock => ({ ...accepted, impersonatedTxs: markedIn(accepted.block) });

/** Indexes blocks that the index does not have yet: those accepted while the node ran without an index. */
function catchUpIndex(index: SqliteIndex, env: Env): void {
  const progress = startProgress(env.clock.monotonic);
  for (const step of index.catchUp()) env.showProgress(progress(step));
  env.showProgress(undefined);
}
