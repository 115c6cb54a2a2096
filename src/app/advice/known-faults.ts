import type { SeracFault } from '../../api/client/fault.ts';
import type { DevFault } from '../../api/dev/fault.ts';
import type { AvmFault, CounterpartFault, EvmFault, InfoFault, RpcFault } from '../../api/rpc/fault.ts';
import type { TxFault } from '../../avm/verify/fault.ts';
import type { WalletFault } from '../../avm/wallet/fault.ts';
import type { AddressFault } from '../../base/bytes/address.ts';
import type { Bech32Fault } from '../../base/bytes/bech32.ts';
import type { Cb58Fault } from '../../base/bytes/cb58.ts';
import type { HexFault } from '../../base/bytes/hex.ts';
import type { IdFault } from '../../base/bytes/id.ts';
import type { CodecFault } from '../../base/codec/fault.ts';
import type { FollowFault } from '../../chain/follow/fault.ts';
import type { ForkFault } from '../../chain/fork/fault.ts';
import type { ChainFault } from '../../chain/lifecycle/fault.ts';
import type { SnapshotFault } from '../../ledger/snapshot/fault.ts';
import type { StateFault } from '../../ledger/state/fault.ts';

/**
 * The faults that a program can get, by where they come from. Each has a row in docs/reference/errors.md, which says what to do about it
 * (error-advice.ts), and is a case of the library's errors (sdk/errors.ts).
 */
export type KnownFault =
  | RequestFault
  | MethodFault
  | TxFault
  | CodecFault
  | DevHexFault
  | DevMethodFault
  | MempoolFault
  | SnapshotFault
  | NodeFault
  | SeracFault
  | BuilderFault;

/** Found before a method runs. */
export type RequestFault = Exclude<RpcFault, { code: 'RPC_BAD_JSON' }>;

export type MethodFault = AvmFault | InfoFault | CounterpartFault | EvmFault | Extract<StateFault, { code: 'STATE_DUPLICATE_PUT' }>;

export type DevHexFault = Exclude<HexFault, { code: 'HEX_UNSUPPORTED_ENCODING' }>;

export type DevMethodFault =
  | DevFault
  | Extract<WalletFault, { code: 'WALLET_CANNOT_SIGN' }>
  | Extract<ChainFault, { code: 'IMPERSONATION_FULL' }>
  | { code: 'HEALTH_TOO_MANY_CHECKS' };

export type MempoolFault = Extract<ChainFault, { code: `MEMPOOL_${string}` | `WALLET_${string}` }>;

/** Of another process, or of the followed or forked node. */
export type NodeFault =
  | Exclude<ForkFault, { code: 'FORK_NOT_A_FORK' }>
  | Extract<FollowFault, { code: 'FOLLOW_SILENT' | 'FOLLOW_NONSENSE' | 'FOLLOW_REFUSED' | 'FOLLOW_STOPPED' }>
  | BusyFault;

/** The writer process has no time for the call. */
export type BusyFault = { code: 'RELAY_BUSY' };

/** Of `createNode` and `serac/codec`, which throw them before a node is asked. */
export type BuilderFault =
  | OptionFault
  | Exclude<WalletFault, { code: 'WALLET_CANNOT_SIGN' }>
  | AddressFault
  | Bech32Fault
  | Cb58Fault
  | IdFault
  | Extract<HexFault, { code: 'HEX_UNSUPPORTED_ENCODING' }>;

/** Of an option of `createNode`. */
export type OptionFault = { code: 'OPTION_INVALID' } | { code: 'OPTION_UNKNOWN'; option: string; didYouMean?: string | undefined };
