import { createAddressFormatter } from '../bytes/address.ts';
import { type Id, idText } from '../bytes/id.ts';
import { createChain, type Ledger, type TxStatus } from '../chain/chain.ts';
import { createTxVerifier, type TxVerifier } from '../chain/tx-verifier.ts';
import type { RecoverSigner } from '../crypto/recover.ts';
import type { Differences } from '../differences.ts';
import { type SoloTimers, startSolo } from '../engine/solo.ts';
import type { Engine } from '../engine/vm.ts';
import type { AnyFault } from '../fault.ts';
import type { Follower } from '../follow/follower.ts';
import type { AvmGenesis } from '../genesis/avm-genesis.ts';
import type { Network, NetworkFees } from '../network.ts';
import type { Recovery } from '../recovery/recovery.ts';
import { type AddressFormat, createAddressFormat } from '../rpc/address-format.ts';
import type { Aliases } from '../rpc/aliases.ts';
import { type AvmDeps, type AvmReads, avmMethods, createAvmContext } from '../rpc/avm.ts';
import { combineServices, createService, type Service } from '../rpc/method.ts';
import { walletMethods } from '../rpc/wallet.ts';
import type { LongWork } from '../timing/long-work.ts';
import type { Block } from '../tx/block.ts';
import type { Tx } from '../tx/tx.ts';
import { createOrderedIssue } from './ordered-issue.ts';

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
  /** Sizes of the caches of each chain, in bytes. */
  readonly cacheBytes: AvmDeps['cacheBytes'];
};

export type WriterDeps = ChainContext & {
  readonly recover: RecoverSigner;
  readonly recovery: Recovery;
  readonly timers: SoloTimers;
  readonly minBlockDelay: number;
  readonly subnetID: Id;
  readonly subnetOf: (chainID: Id) => Id | undefined;
  readonly report: (error: unknown) => void;
  /** Called when commits of a chain begin to fail, and when they succeed again. */
  readonly onCommitState: () => void;
};

/** A chain to which this process adds blocks: its own, or those of a followed node. */
export type RunningChain = {
  readonly spec: AvmChainSpec;
  readonly engine: Engine;
  readonly lastAccepted: Ledger['lastAccepted'];
  /** The number and total size of the transactions in the mempool. */
  readonly pendingTxs: () => { readonly txs: number; readonly bytes: number };
  readonly txIssuer: TxIssuer;
  /** Why the last commit failed; undefined after a successful one. */
  readonly commitFailure: () => AnyFault | undefined;
  /** undefined for a chain that decides its own blocks. */
  readonly follower?: Follower;
  /** Counts the backfills since the start: facts that became known after the blocks they belong to were indexed. */
  readonly backfillRevision?: () => number;
};

/** Starts a chain that decides its blocks in this process. */
export function runChain(spec: AvmChainSpec, ledger: Ledger, deps: WriterDeps): RunningChain {
  const { differences, now } = deps;
  const chain = createChain({
    ledger,
    verifier: createVerifierOfChain(spec, deps),
    now,
    differences: { retryRefused: differences.retryRefused, skipFailedWalletTx: differences.skipFailedWalletTx },
    onCommitState: deps.onCommitState,
    prepareWalletTx: (tx) => prepare(tx),
  });
  // In a burst, or with many signatures, a thread first recovers the signers; the rules then verify the transaction as usual.
  const prepare = (tx: Tx) => deps.recovery.prepare(tx, () => chain.expectedSignatures(tx));
  return {
    spec,
    engine: startSolo(chain, { minBlockDelay: deps.minBlockDelay }, deps.timers, deps.report),
    lastAccepted: ledger.lastAccepted,
    pendingTxs: () => chain.mempool.size(),
    commitFailure: chain.commitFailure,
    txIssuer: {
      issue: (tx) => prepare(tx)?.then(() => chain.issue(tx)) ?? chain.issue(tx),
      queueWalletTx: createOrderedIssue(prepare, chain.queueWalletTx),
      status: chain.status,
    },
  };
}

/** Creates the transaction verifier of a chain. */
export function createVerifierOfChain(spec: AvmChainSpec, { network, now, recover, subnetID, subnetOf }: VerifierDeps): TxVerifier {
  const rules = { networkID: network.id, chainID: spec.id, feeAsset: spec.genesis.assets[0].tx.id, ...spec.fees };
  const addressText = createAddressFormatter(spec.aliases[0], network.hrp, addressCacheSize);
  return createTxVerifier({ rules, recover, addressText, now, subnetID, subnetOf });
}

/** Small, because the verifier formats addresses only for error messages. */
const addressCacheSize = 64;

export type VerifierDeps = Pick<WriterDeps, 'network' | 'now' | 'recover' | 'subnetID' | 'subnetOf'>;

/** What the RPC methods of a chain need beside reads. A reader process never calls these: it forwards such calls to the writer process. */
export type TxIssuer = {
  readonly issue: (tx: Tx) => void | Promise<void>;
  readonly queueWalletTx: (tx: Tx) => void | Promise<void>;
  readonly status: (txID: Id) => TxStatus | Promise<TxStatus>;
  /** See rpc/avm.ts. */
  readonly preLinearizationTx?: AvmDeps['preLinearizationTx'];
};

/** Creates the RPC services of a chain: `avm` and `wallet`. */
export function createChainServices(spec: AvmChainSpec, reads: AvmReads, txIssuer: TxIssuer, chainContext: ChainContext) {
  const addressFormat = createChainAddressFormat(spec.id, chainContext);
  const context = createAvmContext({
    reads,
    addressFormat: addressFormat,
    json: { address: addressFormat.format, id: idText },
    emptyTxsJson: chainContext.differences.genesisBlockTxs ? '[]' : 'null',
    fees: spec.fees,
    assetAliases: new Map(spec.genesis.assets.map(({ alias, tx }) => [alias, tx.id])),
    now: chainContext.now,
    longWork: chainContext.longWork,
    cacheBytes: chainContext.cacheBytes,
    issue: txIssuer.issue,
    status: chainContext.differences.txStatus ? txIssuer.status : avalancheGoStatus(reads, txIssuer),
    preLinearizationTx: txIssuer.preLinearizationTx,
  });
  const avmService: Service = createService('avm', avmMethods, context);
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
  (reads: AvmReads, { status, preLinearizationTx }: TxIssuer) =>
  (txID: Id): string | Promise<string> => {
    if (reads.hasTx(txID)) return 'Accepted';
    return preLinearizationTx === undefined
      ? 'Unknown'
      : Promise.resolve(status(txID)).then((remote) => (remote === 'Accepted' ? remote : 'Unknown'));
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
