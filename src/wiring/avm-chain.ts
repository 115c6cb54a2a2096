import { addressWriter } from '../bytes/address.ts';
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
import type { Fees, Network } from '../network.ts';
import type { Recovery } from '../recovery/recovery.ts';
import { type AddressSpace, addressSpace } from '../rpc/address-text.ts';
import type { Aliases } from '../rpc/aliases.ts';
import { type AvmDeps, type AvmReads, avm, avmContext } from '../rpc/avm.ts';
import { type Service, service, servicesOf } from '../rpc/method.ts';
import { wallet } from '../rpc/wallet.ts';
import type { LongWork } from '../timing/long-work.ts';
import type { Block } from '../tx/block.ts';
import type { Tx } from '../tx/tx.ts';

/** A chain of the AVM as configuration names it. */
export type AvmChainSpec = {
  readonly id: Id;
  /** The first one is its name in addresses and health checks. */
  readonly aliases: readonly [string, ...string[]];
  readonly genesis: AvmGenesis;
  readonly fees: Fees;
  /** Block 0. */
  readonly first: Block;
};

/** What every chain shares with the others of the node. */
export type ChainContext = {
  readonly network: Network;
  readonly aliases: Aliases;
  readonly differences: Differences;
  /** Unix seconds. */
  readonly now: () => bigint;
  readonly longWork: LongWork;
};

export type WriterDeps = ChainContext & {
  readonly recover: RecoverSigner;
  readonly recovery: Recovery;
  readonly timers: SoloTimers;
  readonly minBlockDelay: number;
  readonly subnetID: Id;
  readonly subnetOf: (chainID: Id) => Id | undefined;
  readonly report: (error: unknown) => void;
  /** Commits of a chain begin to fail, or succeed again. */
  readonly onCommitState: () => void;
};

/** A chain that grows in this process, however its blocks are found. */
export type RunningChain = {
  readonly spec: AvmChainSpec;
  readonly engine: Engine;
  readonly lastAccepted: Ledger['lastAccepted'];
  /** What waits for a block. */
  readonly waiting: () => { readonly txs: number; readonly bytes: number };
  readonly issuing: Issuing;
  /** Why the last block could not be stored; undefined as soon as one is. */
  readonly commitFailure: () => AnyFault | undefined;
  /** How following a node goes; undefined for a chain that decides alone. */
  readonly follower?: Follower;
  /** How often more became known about blocks that were here already, since the start. */
  readonly learned?: () => number;
};

/** A chain that decides its blocks in this process. */
export function runChain(spec: AvmChainSpec, ledger: Ledger, deps: WriterDeps): RunningChain {
  const { differences, now } = deps;
  const chain = createChain({
    ledger,
    judge: judgeOf(spec, deps),
    now,
    differences: { judgesAnew: differences.retryRefused, walletMovesOn: differences.skipFailedWalletTx },
    onCommitState: deps.onCommitState,
  });
  return {
    spec,
    engine: startSolo(chain, { minBlockDelay: deps.minBlockDelay }, deps.timers, deps.report),
    lastAccepted: ledger.lastAccepted,
    waiting: () => chain.mempool.size(),
    commitFailure: chain.commitFailure,
    issuing: {
      // In a rush, or with many signatures, a transaction waits for its signers; the rules then verify it as ever.
      issue: (tx) => deps.recovery.prepare(tx, () => chain.expectedSignatures(tx))?.then(() => chain.issue(tx)) ?? chain.issue(tx),
      issueInTurn: chain.issueInTurn,
      status: chain.status,
    },
  };
}

/** The rules of a chain, with all they need. */
export function judgeOf(spec: AvmChainSpec, { network, now, recover, subnetID, subnetOf }: JudgeParts): TxVerifier {
  const rules = { networkID: network.id, chainID: spec.id, feeAsset: spec.genesis.assets[0].tx.id, ...spec.fees };
  const addressText = addressWriter(spec.aliases[0], network.hrp, rememberedSigners);
  return createTxVerifier({ rules, recover, addressText, now, subnetID, subnetOf });
}

/** Addresses are only written into faults here. */
const rememberedSigners = 64;

export type JudgeParts = Pick<WriterDeps, 'network' | 'now' | 'recover' | 'subnetID' | 'subnetOf'>;

/** What the methods of a chain do beyond reading; in a process that only reads they are never called. */
export type Issuing = {
  readonly issue: (tx: Tx) => void | Promise<void>;
  readonly issueInTurn: (tx: Tx) => void | Promise<void>;
  readonly status: (txID: Id) => TxStatus | Promise<TxStatus>;
  /** See rpc/avm.ts. */
  readonly olderTx?: AvmDeps['olderTx'];
};

/** The services of a chain: the AVM's own and its wallet. */
export function chainServices(spec: AvmChainSpec, reads: AvmReads, issuing: Issuing, around: ChainContext) {
  const space = addressesOf(spec.id, around);
  const context = avmContext({
    reads,
    space,
    json: { address: space.write, id: idText },
    noTxs: around.differences.genesisBlockTxs ? '[]' : 'null',
    fees: spec.fees,
    assetAliases: new Map(spec.genesis.assets.map(({ alias, tx }) => [alias, tx.id])),
    now: around.now,
    longWork: around.longWork,
    issue: issuing.issue,
    status: around.differences.txStatus ? issuing.status : peerStatus(reads, issuing),
    olderTx: issuing.olderTx,
  });
  const avmService: Service = service('avm', avm, context);
  return { avm: servicesOf(avmService), wallet: servicesOf(service('wallet', wallet, { issueInTurn: issuing.issueInTurn })) };
}

/** The peer knows what is accepted, and nothing else. What is older than any block here it has accepted, too. */
const peerStatus =
  (reads: AvmReads, { status, olderTx }: Issuing) =>
  (txID: Id): string | Promise<string> => {
    if (reads.hasTx(txID)) return 'Accepted';
    return olderTx === undefined ? 'Unknown' : Promise.resolve(status(txID)).then((told) => (told === 'Accepted' ? told : 'Unknown'));
  };

/** How addresses of a chain are read and written. */
export const addressesOf = (chainID: Id, { network, aliases, differences }: ChainContext, ownOutputs = true): AddressSpace =>
  addressSpace({
    chainID,
    hrp: network.hrp,
    aliases,
    write: addressWriter(aliases.primary(chainID), network.hrp),
    ownOutputs,
    exactLength: differences.addressLength,
  });
