import { formatHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { equal } from '../bytes/octets.ts';
import type { Check } from './result.ts';

/** Subnets whose chains are not all up yet. Peer: chains/manager.go, registerBootstrappedHealthChecks. */
export const bootstrappedCheck =
  (bootstrapping: () => readonly Id[]): Check =>
  () => {
    const subnets = bootstrapping();
    return { details: subnets.map(idText), error: subnets.length === 0 ? undefined : 'subnets not bootstrapped' };
  };

/** Really reads and writes: `touch` throws if the store would not take a block now. */
export const databaseCheck =
  (touch: () => void | Promise<void>): Check =>
  async () => {
    await touch();
    return {};
  };

/** A file system as statfs sees it. */
export type FileSystem = { readonly blocks: bigint; readonly availableBlocks: bigint; readonly blockBytes: bigint };

/** Percentages of the file system. Peer's defaults: config/flags.go, `--system-tracker-disk-*-available-space-percentage`. */
export type DiskLimits = {
  readonly requiredPercentage: number;
  readonly warningPercentage: number;
  /** The peer stops itself when less than the required space is left; what to do here is the caller's to say. */
  readonly onExhausted?: (() => void) | undefined;
};

export const defaultDiskLimits: DiskLimits = { requiredPercentage: 3, warningPercentage: 10 };

/** Peer: node/node.go, diskSpaceCheck; utils/storage/storage_unix.go. */
export const diskSpaceCheck =
  (read: () => FileSystem, limits: DiskLimits = defaultDiskLimits): Check =>
  () => {
    const { blocks, availableBlocks, blockBytes } = read();
    if (blocks === 0n) return { error: 'available blocks is reported as 0' };
    const percentage = Number((availableBlocks * 100n) / blocks);
    const details = { availableDiskBytes: availableBlocks * blockBytes, availableDiskPercentage: percentage };
    const below = (what: string, limit: number) =>
      `remaining available disk space percentage (${percentage}%) is below ${what} available space percentage (${limit}%)`;
    if (percentage < limits.requiredPercentage) {
      limits.onExhausted?.();
      return { details, error: below('minimum required', limits.requiredPercentage) };
    }
    if (percentage < limits.warningPercentage) return { details, error: below('warning threshold', limits.warningPercentage) };
    return { details };
  };

/** A BLS public key that is computed only when somebody needs its bytes. */
export type LazyKey = () => Promise<Uint8Array>;

/** This node's entry in the validator set, if it has one. */
export type Registered = { readonly publicKey: LazyKey | undefined };

/** Is the node's BLS key the one it is registered with? Peer: node/node.go, wrongBLSKeyCheck. */
export const blsCheck =
  (own: LazyKey, registered: () => Registered | undefined): Check =>
  async () => {
    const validator = registered();
    if (validator === undefined) return { details: 'node is not a validator' };
    if (validator.publicKey === undefined) return { details: "validator doesn't have a BLS key" };
    const right = { details: 'node has the correct BLS key' };
    // A node that made itself a validator handed over its very key: nothing to compute.
    if (validator.publicKey === own) return right;
    const [ours, theirs] = await Promise.all([own(), validator.publicKey()]);
    if (equal(ours, theirs)) return right;
    const [mine, set] = [formatHex('hexnc', ours), formatHex('hexnc', theirs)];
    return { error: `node has BLS key ${mine}, but is registered to the validator set with ${set}` };
  };

/** Registered when the stop begins, so that load balancers look elsewhere while the last answers go out. Peer: node/node.go, shutdown. */
export const shuttingDownCheck: Check = () => ({ details: { isShuttingDown: true }, error: 'server shutting down' });
