import { Fault } from '../../base/fault.ts';

type BootstrapFault =
  /** A block that most beacons have accepted is invalid here. It stays so: trying again does not help. */
  | { code: 'BOOTSTRAP_INVALID_BLOCK'; id: string; height: bigint }
  /** Peers gave blocks that do not belong together, or gave none. Another attempt may succeed. */
  | { code: 'BOOTSTRAP_NO_BLOCKS'; reason: string };
export class BootstrapError extends Fault<BootstrapFault> {}

export const noBlocks = (reason: string) =>
  new BootstrapError(`cannot bootstrap now: ${reason}; trying again`, { code: 'BOOTSTRAP_NO_BLOCKS', reason });
