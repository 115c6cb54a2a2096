import type { Differences } from '../../api/differences.ts';
import type { DataAge } from '../../api/rest/data-age.ts';
import type { Aliases } from '../../api/rpc/aliases.ts';
import type { AvmDeps } from '../../api/rpc/avm.ts';
import type { AvmGenesis } from '../../avm/genesis/avm-genesis.ts';
import type { Network, NetworkFees } from '../../avm/network.ts';
import type { Block } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { TxCheck } from '../../avm/verify/explain.ts';
import type { Engine } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Follower } from '../../chain/follow/follower.ts';
import type { Chain, RevertibleChain } from '../../chain/lifecycle/chain.ts';
import type { ExplainedStatus, Ledger } from '../../chain/lifecycle/ledger.ts';
import type { Mempool } from '../../chain/lifecycle/mempool.ts';
import type { TxIssuer } from '../../chain/lifecycle/tx-issuer.ts';
import type { SoloEngine } from '../../chain/solo/solo.ts';
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
    /** What the chain had before linearization. */
    readonly vertices: VertexReads;
  };
  /** How old what the chain serves is; undefined if this node builds its blocks alone. */
  readonly dataAge?: DataAge;
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

/** What the RPC methods of a chain need beside reads. A reader process forwards these calls to the writer process. */
export type ChainTxs = TxIssuer & {
  readonly explainStatus: (txID: Id) => Promise<ExplainedStatus>;
  /** See `AvmDeps` in api/rpc/avm.ts. */
  readonly preLinearizationTx?: AvmDeps['preLinearizationTx'];
};
