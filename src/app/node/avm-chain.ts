import type { Tx } from '../../avm/tx/tx.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { RecoverSigner, SignerCache } from '../../base/crypto/recover.ts';
import type { Fork } from '../../chain/fork/fork.ts';
import { createChain } from '../../chain/lifecycle/chain.ts';
import type { ChainDeps } from '../../chain/lifecycle/chain-deps.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { Impersonation } from '../../chain/lifecycle/impersonation.ts';
import type { Ledger } from '../../chain/lifecycle/ledger.ts';
import { explainMissingOutput } from '../../chain/lifecycle/missing-output.ts';
import { createTxIssuer, type TxObserver } from '../../chain/lifecycle/tx-issuer.ts';
import { createTxVerifier } from '../../chain/lifecycle/tx-verifier.ts';
import type { Recovery } from '../../chain/recovery/recovery.ts';
import { type BlockPolicy, type SoloTimers, startSolo } from '../../chain/solo/solo.ts';
import type { NetworkContext } from './network-context.ts';
import type { AvmChainSpec, RunningChain } from './running-chain.ts';

/** What the chains share to which this process adds blocks. node-core.ts creates it once; a reader process, which adds no blocks, has none. */
export type SharedChainDeps = {
  readonly context: Pick<NetworkContext, 'chain' | 'subnetID' | 'subnetOf'>;
  /** Recovers signers; the index reads them and their public keys too. */
  readonly signers: SignerCache;
  /** Recovers signers on another thread ahead of verification. */
  readonly recovery: Pick<Recovery, 'recoverAhead'>;
  /** When blocks are built, and which time they have. */
  readonly timing: {
    readonly timers: SoloTimers;
    readonly minBlockDelay: number;
    readonly policy: BlockPolicy;
    readonly takeNextBlockTime: () => bigint | undefined;
  };
  /** Who hears of what happens to a chain. */
  readonly listeners: {
    readonly publish: EventBus['publish'];
    readonly observerOf: (chainID: Id) => TxObserver;
    /** Logs an unexpected error. */
    readonly logError: (error: unknown) => void;
    /** Called when commits of a chain begin to fail, and when they succeed again. */
    readonly onCommitState: () => void;
    /** Called when the state of a follower changes; see `FollowStatus`. */
    readonly onFollowState: () => void;
  };
};

/** Starts a chain that decides its blocks in this process. `fork`: copies outputs that a transaction spends from another node. */
export function runChain({
  spec,
  ledger,
  chainDeps,
  fork,
  impersonation,
}: {
  readonly spec: AvmChainSpec;
  readonly ledger: Ledger;
  readonly chainDeps: SharedChainDeps;
  readonly fork: Pick<Fork, 'copyInputs' | 'tx'> | undefined;
  readonly impersonation: Impersonation | undefined;
}): RunningChain {
  const { timing, listeners } = chainDeps;
  const { chain, running } = createAvmChain({
    spec,
    ledger,
    chainDeps,
    impersonation,
    isClockAdjustable: true,
    takeNextBlockTime: timing.takeNextBlockTime,
    fetchInputs: fork?.copyInputs,
    preLinearizationTx: fork?.tx,
    onPooled: (tx) => listeners.publish({ kind: 'pooled', chainID: spec.id, tx }),
  });
  const engine = startSolo(chain, { minBlockDelay: timing.minBlockDelay, policy: timing.policy }, timing.timers, listeners.logError);
  return { ...running, engine, soloEngine: engine, revertible: chain };
}

/**
 * Creates a chain without an engine, and what the RPC methods need of it. A transaction takes the same steps wherever it comes from: its inputs are
 * fetched, its signers are recovered, then the rules verify it. createTxIssuer does that for users, `preverify` of the chain for blocks of peers.
 */
export function createAvmChain({
  spec,
  ledger,
  chainDeps: { context, signers, recovery, listeners },
  impersonation,
  isClockAdjustable,
  takeNextBlockTime,
  acceptUnknownImports,
  fetchInputs,
  preLinearizationTx,
  onPooled,
}: Pick<ChainDeps, 'isClockAdjustable' | 'takeNextBlockTime' | 'acceptUnknownImports' | 'fetchInputs' | 'onPooled'> & {
  readonly spec: AvmChainSpec;
  readonly ledger: Ledger;
  readonly chainDeps: SharedChainDeps;
  readonly impersonation?: Impersonation | undefined;
  readonly preLinearizationTx?: RunningChain['txIssuer']['preLinearizationTx'];
}) {
  const { differences, now } = context.chain;
  const verifier = createVerifierOfChain(spec, context, signers.recover, impersonation);
  const observer = listeners.observerOf(spec.id);
  const chain = createChain({
    ledger,
    verifier,
    now,
    differences: { retryRefused: differences.retryRefused, skipFailedWalletTx: differences.skipFailedWalletTx },
    isClockAdjustable,
    takeNextBlockTime,
    acceptUnknownImports,
    fetchInputs,
    recoverAhead: recovery.recoverAhead,
    impersonatedTxs: impersonation?.markedIn,
    onVerified: observer.onVerified,
    onPooled,
    onDropped: (tx, reason) => listeners.publish({ kind: 'dropped', chainID: spec.id, tx, reason }),
    onCommitState: listeners.onCommitState,
  });
  const issuer = createTxIssuer(chain, observer);
  const explain = async (tx: Tx) => {
    // Every input is checked, also after one with a wrong signature.
    await chain.fetchAndRecover(tx, () => verifier.signaturesToExplain(tx, ledger), 'all');
    return verifier.explain(tx, ledger, (error) => explainMissingOutput(error, ledger, chain.status));
  };
  const running: Omit<RunningChain, 'engine'> = {
    spec,
    lastAccepted: ledger.lastAccepted,
    pendingTxs: chain.mempool.size,
    mempool: chain.mempool,
    isConsumedByPending: (utxoID) => chain.mempool.consumerOf(utxoID) !== undefined,
    commitFailure: chain.commitFailure,
    tools: { chain, explain, issueAfterPending: issuer.issueAfterPending },
    txIssuer: {
      issue: issuer.issue,
      queueWalletTx: issuer.queueWalletTx,
      explainStatus: async (txID) => chain.explainStatus(txID),
      preLinearizationTx,
    },
  };
  return { chain, verifier, running };
}

/** Creates the transaction verifier of a chain. */
export const createVerifierOfChain = (
  spec: AvmChainSpec,
  { chain: { network, now }, subnetID, subnetOf }: SharedChainDeps['context'],
  recover: RecoverSigner,
  impersonation?: Impersonation,
) =>
  createTxVerifier({
    rules: { networkID: network.id, chainID: spec.id, feeAsset: spec.genesis.assets[0].tx.id, ...spec.fees },
    recover,
    addressText: createAddressFormatter(spec.aliases[0], network.hrp),
    now,
    subnetID,
    subnetOf,
    impersonation,
  });
