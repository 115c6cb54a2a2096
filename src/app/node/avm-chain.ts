import type { Differences } from '../../api/differences.ts';
import type { DataAge } from '../../api/rest/data-age.ts';
import type { ServedChain } from '../../api/rest/served-chains.ts';
import { type AddressFormat, createAddressFormat } from '../../api/rpc/address-format.ts';
import type { Aliases } from '../../api/rpc/aliases.ts';
import { type AvmDeps, type AvmReads, avmMethods, createAvmContext } from '../../api/rpc/avm.ts';
import { combineServices, createService, type Service } from '../../api/rpc/method.ts';
import { createResultCache } from '../../api/rpc/result-cache.ts';
import { walletMethods } from '../../api/rpc/wallet.ts';
import type { AvmGenesis } from '../../avm/genesis/avm-genesis.ts';
import type { Network, NetworkFees } from '../../avm/network.ts';
import type { Block } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { TxCheck } from '../../avm/verify/explain.ts';
import type { Engine } from '../../avm/vm.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { RecoverSigner, SignerCache } from '../../base/crypto/recover.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Follower } from '../../chain/follow/follower.ts';
import type { Fork } from '../../chain/fork/fork.ts';
import { type Chain, type ChainDeps, createChain, type RevertibleChain } from '../../chain/lifecycle/chain.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { Impersonation } from '../../chain/lifecycle/impersonation.ts';
import type { ExplainedStatus, Ledger } from '../../chain/lifecycle/ledger.ts';
import type { Mempool } from '../../chain/lifecycle/mempool.ts';
import { explainMissingOutput } from '../../chain/lifecycle/missing-output.ts';
import { createTxIssuer, type TxIssuer, type TxObserver } from '../../chain/lifecycle/tx-issuer.ts';
import { createTxVerifier, type ExplainingVerifier } from '../../chain/lifecycle/tx-verifier.ts';
import type { Recovery } from '../../chain/recovery/recovery.ts';
import { type BlockPolicy, type SoloEngine, type SoloTimers, startSolo } from '../../chain/solo/solo.ts';
import type { VertexReads } from '../../ledger/vertices/vertex-reads.ts';
import type { JoinedChain } from '../../network/joined-chain/joined-chain.ts';

/** An AVM chain as the configuration defines it. */
export type AvmChainSpec = {
  readonly id: Id;
  /** The first one is the chain's name in addresses and health checks. */
  readonly aliases: readonly [string, ...string[]];
  readonly genesis: AvmGenesis;
  readonly fees: NetworkFees;
  /** Block 0. */
  readonly genesisBlock: Block;
};

/** What all chains of a node share. */
export type ChainContext = {
  readonly network: Network;
  readonly aliases: Aliases;
  readonly differences: Differences;
  /** Unix seconds. */
  readonly now: () => bigint;
  readonly longWork: LongWork;
};

/** Recovering the signers of transactions. */
type SignerDeps = {
  readonly recover: RecoverSigner;
  /** Recovers signers; the index reads them and their public keys too. */
  readonly signers: SignerCache;
  readonly recovery: Recovery;
};

/** When blocks are built, and which time they have. */
type BlockTiming = {
  readonly timers: SoloTimers;
  readonly minBlockDelay: number;
  readonly policy: BlockPolicy;
  readonly takeNextBlockTime: () => bigint | undefined;
};

/** Who hears of what happens to a chain. */
type ChainReports = {
  readonly publish: EventBus['publish'];
  readonly observerOf: (chainID: Id) => TxObserver;
  readonly report: (error: unknown) => void;
  /** Called when commits of a chain begin to fail, and when they succeed again. */
  readonly onCommitState: () => void;
  /** Called when the state of a follower changes; see `FollowStatus`. */
  readonly onFollowState: () => void;
};

export type WriterDeps = ChainContext &
  SignerDeps &
  BlockTiming &
  ChainReports & {
    readonly impersonation?: Impersonation;
    readonly subnetID: Id;
    readonly subnetOf: (chainID: Id) => Id | undefined;
    /** Copies outputs that a transaction spends from another node; see fork/. */
    readonly fork?: Pick<Fork, 'copyInputs' | 'tx'> | undefined;
  };

/** The transactions that wait for a block. */
type ChainMempool = {
  /** The number and total size of the transactions in the mempool. */
  readonly pendingTxs: () => { readonly txs: number; readonly bytes: number };
  /** The mempool; undefined for a followed chain, whose mempool is not here. */
  readonly mempool?: Pick<Mempool, 'all' | 'get'>;
  /** Whether a transaction in the mempool consumes an output; undefined for a followed chain, whose mempool is not here. */
  readonly isConsumedByPending?: (utxoID: Id) => boolean;
};

/** Where the blocks of a chain come from, if not from this node alone. */
type BlockOrigin = {
  /** Undefined unless the chain follows another node. */
  readonly follower?: Follower;
  /** Undefined unless the chain is on a network of peers. */
  readonly joined?: JoinedChain & {
    readonly caughtUp: Promise<void>;
    /** Finds out which exports other chains have imported; undefined if no node can be asked. */
    readonly backfillAddresses?: ServedChain['backfillAddresses'];
    /** What the chain had before linearization. */
    readonly vertices: VertexReads;
  };
  /** How old what the chain serves is; undefined if this node builds its blocks alone. */
  readonly dataAge?: DataAge;
  /** Counts the backfills since the start: facts that became known after the blocks they belong to were indexed. */
  readonly backfillRevision?: () => number;
};

/** A chain to which this process adds blocks: its own, or those of a followed node. */
export type RunningChain = ChainMempool &
  BlockOrigin & {
    readonly spec: AvmChainSpec;
    readonly engine: Engine;
    readonly lastAccepted: Ledger['lastAccepted'];
    readonly txIssuer: ChainTxs;
    /** What a snapshot saves and a revert restores; undefined for a followed chain. */
    readonly revertible?: RevertibleChain;
    /** Why the last commit failed; undefined after a successful one. */
    readonly commitFailure: () => AnyFault | undefined;
    /** Undefined unless this node decides the blocks alone. */
    readonly soloEngine?: SoloEngine;
    /** Undefined for a chain of a followed node, whose transactions are verified there. */
    readonly tools?: ChainTools;
  };

/** What the `dev.*` methods and the explorer need of a chain whose transactions are verified here. */
export type ChainTools = {
  readonly chain: Chain;
  /** Lists every check of a transaction on the last accepted state. `checkIssuable` recovers no signers after it. */
  readonly explain: (tx: Tx) => Promise<readonly TxCheck[]>;
  /** Issues a transaction that may spend outputs of waiting ones. */
  readonly issueAfterPending: TxIssuer['issue'];
};

/** Starts a chain that decides its blocks in this process. */
export function runChain(spec: AvmChainSpec, ledger: Ledger, deps: WriterDeps): RunningChain {
  const { chain, running } = createAvmChain(spec, ledger, deps, {
    isClockAdjustable: true,
    takeNextBlockTime: deps.takeNextBlockTime,
    fetchInputs: deps.fork?.copyInputs,
    onPooled: (tx) => deps.publish({ kind: 'pooled', chainID: spec.id, tx }),
  });
  const engine = startSolo(chain, { minBlockDelay: deps.minBlockDelay, policy: deps.policy }, deps.timers, deps.report);
  return { ...running, engine, soloEngine: engine, revertible: chain };
}

/** Creates a chain without an engine, and what the RPC methods need of it. */
export function createAvmChain(
  spec: AvmChainSpec,
  ledger: Ledger,
  deps: WriterDeps,
  options: Pick<ChainDeps, 'isClockAdjustable' | 'takeNextBlockTime' | 'acceptUnknownImports' | 'fetchInputs' | 'onPooled'>,
) {
  const { differences, now, publish } = deps;
  const verifier = createVerifierOfChain(spec, deps);
  const observer = deps.observerOf(spec.id);
  const chain = createChain({
    ledger,
    verifier,
    now,
    differences: { retryRefused: differences.retryRefused, skipFailedWalletTx: differences.skipFailedWalletTx },
    isClockAdjustable: options.isClockAdjustable,
    takeNextBlockTime: options.takeNextBlockTime,
    acceptUnknownImports: options.acceptUnknownImports,
    fetchInputs: options.fetchInputs,
    recoverAhead: deps.recovery.recoverAhead,
    impersonatedTxs: deps.impersonation?.markedIn,
    onVerified: observer.onVerified,
    onPooled: options.onPooled,
    onDropped: (tx, reason) => publish({ kind: 'dropped', chainID: spec.id, tx, reason }),
    onCommitState: deps.onCommitState,
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
    pendingTxs: () => chain.mempool.size(),
    mempool: chain.mempool,
    isConsumedByPending: (utxoID) => chain.mempool.consumerOf(utxoID) !== undefined,
    commitFailure: chain.commitFailure,
    tools: { chain, explain, issueAfterPending: issuer.issueAfterPending },
    txIssuer: {
      issue: issuer.issue,
      queueWalletTx: issuer.queueWalletTx,
      explainStatus: chain.explainStatus,
      preLinearizationTx: deps.fork?.tx,
    },
  };
  return { chain, verifier, running };
}

/** Creates the transaction verifier of a chain. */
export function createVerifierOfChain(spec: AvmChainSpec, deps: VerifierDeps): ExplainingVerifier {
  const { network, now, recover, subnetID, subnetOf, impersonation } = deps;
  const rules = { networkID: network.id, chainID: spec.id, feeAsset: spec.genesis.assets[0].tx.id, ...spec.fees };
  const addressText = createAddressFormatter(spec.aliases[0], network.hrp);
  return createTxVerifier({ rules, recover, addressText, now, subnetID, subnetOf, ...(impersonation && { impersonation }) });
}

export type VerifierDeps = Pick<WriterDeps, 'network' | 'now' | 'recover' | 'subnetID' | 'subnetOf' | 'impersonation'>;

/** What the RPC methods of a chain need beside reads. A reader process never calls these: it forwards such calls to the writer process. */
export type ChainTxs = TxIssuer & {
  readonly explainStatus: (txID: Id) => ExplainedStatus | Promise<ExplainedStatus>;
  /** See rpc/avm.ts. */
  readonly preLinearizationTx?: AvmDeps['preLinearizationTx'];
};

/** Creates the RPC services of a chain: `avm` and `wallet`. */
export function createChainServices(spec: AvmChainSpec, reads: AvmReads, txIssuer: ChainTxs, chainContext: ChainContext) {
  const addressFormat = createChainAddressFormat(spec.id, chainContext);
  const context = createAvmContext({
    reads,
    addressFormat: addressFormat,
    json: { address: addressFormat.format, id: idText },
    emptyGenesisList: chainContext.differences.genesisLists ? '[]' : 'null',
    fees: spec.fees,
    assetAliases: new Map(spec.genesis.assets.map(({ alias, tx }) => [alias, tx.id])),
    now: chainContext.now,
    longWork: chainContext.longWork,
    issue: txIssuer.issue,
    explainStatus: chainContext.differences.txStatus ? txIssuer.explainStatus : avalancheGoStatus(reads, txIssuer),
    preLinearizationTx: txIssuer.preLinearizationTx,
  });
  const avmService: Service = createService('avm', avmMethods, context, createResultCache(reads.version));
  return {
    avm: combineServices(avmService),
    wallet: combineServices(createService('wallet', walletMethods, { queueWalletTx: txIssuer.queueWalletTx })),
  };
}

/**
 * The status as AvalancheGo reports it: only Accepted or Unknown. AvalancheGo has also accepted transactions from before linearization, which
 * are not stored here, so the followed node is asked about them.
 */
const avalancheGoStatus =
  (reads: AvmReads, { explainStatus, preLinearizationTx }: ChainTxs) =>
  (txID: Id): ExplainedStatus | Promise<ExplainedStatus> => {
    if (reads.hasTx(txID)) return { status: 'Accepted' };
    return preLinearizationTx === undefined
      ? { status: 'Unknown' }
      : Promise.resolve(explainStatus(txID)).then(({ status }) => ({ status: status === 'Accepted' ? status : 'Unknown' }));
  };

/** Creates the parser and formatter of a chain's addresses. */
export const createChainAddressFormat = (
  chainID: Id,
  { network, aliases, differences }: ChainContext,
  hasOwnOutputs = true,
): AddressFormat =>
  createAddressFormat({
    chainID,
    hrp: network.hrp,
    aliases,
    format: createAddressFormatter(aliases.primary(chainID), network.hrp),
    hasOwnOutputs: hasOwnOutputs,
    requireExactLength: differences.addressLength,
  });
