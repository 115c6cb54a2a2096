import { formatHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { equal } from '../../base/bytes/octets.ts';
import type { Check } from '../../base/health/result.ts';

/** Fails while chains of a subnet are bootstrapping. AvalancheGo: chains/manager.go, registerBootstrappedHealthChecks. */
export const bootstrappedCheck =
  (bootstrapping: () => readonly Id[]): Check =>
  () => {
    const subnets = bootstrapping();
    return { details: subnets.map(idText), error: subnets.length === 0 ? undefined : 'subnets not bootstrapped' };
  };

/** Reads and writes the database: `probeWrite` throws if a block could not be stored now. */
export const databaseCheck =
  (probeWrite: () => void | Promise<void>): Check =>
  async () => {
    await probeWrite();
    return {};
  };

/** Size of a file system, as statfs reports it. */
export type FileSystem = { readonly blocks: bigint; readonly availableBlocks: bigint; readonly blockBytes: bigint };

/** Limits in percent of the file system. AvalancheGo: config/flags.go, `--system-tracker-disk-*-available-space-percentage`. */
type DiskLimits = {
  readonly requiredPercentage: number;
  readonly warningPercentage: number;
  /** Called when less than the required space is left. AvalancheGo stops itself then. */
  readonly onExhausted?: (() => void) | undefined;
};

const defaultDiskLimits: DiskLimits = { requiredPercentage: 3, warningPercentage: 10 };

/** AvalancheGo: node/node.go, diskSpaceCheck; utils/storage/storage_unix.go. */
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

/** Returns a BLS public key, computed on first use. */
export type LazyKey = () => Promise<Uint8Array>;

/** This node's entry in the validator set, if it has one. */
export type RegisteredValidator = { readonly publicKey: LazyKey | undefined };

/** Checks that the node's BLS key is the one registered for it. AvalancheGo: node/node.go, wrongBLSKeyCheck. */
export const blsCheck =
  (own: LazyKey, registered: () => RegisteredValidator | undefined): Check =>
  async () => {
    const validator = registered();
    if (validator === undefined) return { details: 'node is not a validator' };
    if (validator.publicKey === undefined) return { details: "validator doesn't have a BLS key" };
    const right = { details: 'node has the correct BLS key' };
    // A node that registered itself passed the same function, so there is nothing to compute.
    if (validator.publicKey === own) return right;
    const [ours, theirs] = await Promise.all([own(), validator.publicKey()]);
    if (equal(ours, theirs)) return right;
    const [mine, set] = [formatHex('hexnc', ours), formatHex('hexnc', theirs)];
    return { error: `node has BLS key ${mine}, but is registered to the validator set with ${set}` };
  };

/** Registered when shutdown begins, so that load balancers stop sending requests. AvalancheGo: node/node.go, shutdown. */
export const shuttingDownCheck: Check = () => ({ details: { isShuttingDown: true }, error: 'server shutting down' });
