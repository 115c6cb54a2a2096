import type { Labels } from '../../api/dev/labels.ts';
import { type Account, deriveAccounts } from '../../avm/wallet/accounts.ts';
import { stripCredentials } from '../../base/log/log.ts';
import type { Impersonation } from '../../chain/lifecycle/impersonation.ts';
import { createVerifierOfChain, runChain } from '../node/avm-chain.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import { createNodeChain, type NodeChain, type NodeChains, openIndexedChain, ownOrigin, stopChain } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import type { NodeStore } from '../node/node-store.ts';
import type { Contribution } from '../node/parts.ts';
import type { AvmChainSpec } from '../node/running-chain.ts';
import { fundAccounts } from './account-funding.ts';
import { readAccounts, readFundedKey, withAddresses } from './account-list.ts';
import { backfillFromFork, fetchesOfFork, openFork, type RunningFork } from './fork.ts';

/** Chains whose blocks this node decides alone, and the accounts that the first one funds. */
export type SoloChains = Contribution & {
  readonly chains: NodeChains;
  /** At least the default sender. */
  readonly accounts: readonly [Account, ...Account[]];
  readonly accountsWithAddresses: ReturnType<typeof withAddresses>;
  /** Copies the outputs of addresses from the forked node; undefined unless the chain is a fork. */
  readonly copyOutputs: RunningFork['copyAddresses'] | undefined;
  /** Funds the accounts again: after a reset all chains are at block 0. */
  readonly fund: () => void;
};

/** Starts the chains of the configuration, funds the accounts of a new chain, and copies the outputs of a forked node. */
export async function startSoloChains(
  core: NodeCore,
  store: NodeStore,
  labels: Labels,
  impersonation: Impersonation | undefined,
): Promise<SoloChains> {
  const { config, env, context, parts, chainDeps } = core;
  const accounts = deriveAccounts(config.accounts, env.keyCrypto);
  const start = (spec: AvmChainSpec, opening: ReturnType<typeof openIndexedChain>, fork?: RunningFork): NodeChain => {
    const running = runChain({ spec, ledger: opening.opened.ledger, chainDeps, fork, impersonation });
    parts.add({ close: () => stopChain(running) });
    return createNodeChain({
      running,
      opening,
      context,
      // The outputs of a forked node are copied before a method or a route reads them.
      origin: fork === undefined ? ownOrigin : { status: ownOrigin.status, backfillAddresses: backfillFromFork(fork) },
      fetches: fork && fetchesOfFork(fork, createChainAddressFormat(spec.id, context.chain)),
      backfillRevision: fork && (() => opening.opened.backfillRevision() + fork.revision()),
    });
  };

  const [spec, ...otherSpecs] = context.specs;
  const opening = openIndexedChain(store, spec, env);
  const { opened } = opening;
  const fork = config.fork && (await openFork(config.fork, env, context, store, opened));
  if (fork !== undefined) parts.add({ close: async () => fork.stop() });
  await fork?.fetchFirst(
    accounts.map(({ key }) => key.address),
    config.fork?.addresses ?? [],
  );
  const fund = (): void => {
    fork?.addFirst();
    fundAccounts({
      spec,
      opened,
      store,
      accounts,
      balance: config.accounts.balance,
      depositChain: context.p.id,
      // The chain that runs has a verifier of its own, but accounts are funded before it runs.
      verifier: createVerifierOfChain(spec, context, chainDeps.signers.recover, impersonation),
      networkID: context.chain.network.id,
      now: context.chain.now,
      spendsGenesis: fork === undefined,
    });
  };
  fund();
  const first = start(spec, opening, fork);
  const chains: NodeChains = [first, ...otherSpecs.map((other) => start(other, openIndexedChain(store, other, env)))];
  if (config.fork !== undefined)
    env.log(
      `forked from ${stripCredentials(config.fork.url)}${config.fork.height === undefined ? '' : ` at block ${config.fork.height}`}: its outputs are copied when they are first used`,
      'info',
    );
  return {
    chains,
    accounts,
    accountsWithAddresses: withAddresses(accounts, context),
    copyOutputs: fork?.copyAddresses,
    fund,
    banner: () => ({
      funded: readFundedKey(first.reads, context.chain.now(), context),
      accounts: readAccounts(first.reads, accounts, labels, context.chain.now(), context),
      mnemonic: accounts.length > 1 && accounts.every(({ isPublic }) => isPublic) ? config.accounts.mnemonic : undefined,
    }),
  };
}
