import { Fault } from '../../base/fault.ts';

/** Why an outer block is rejected. Messages follow AvalancheGo: vms/proposervm/block.go, pre_fork_block.go, block/block.go. */
export type OuterBlockFault =
  | { code: 'OUTER_UNEXPECTED_SIGNATURE' }
  | { code: 'OUTER_INVALID_CERTIFICATE' }
  | { code: 'OUTER_BAD_SIGNATURE' }
  | { code: 'OUTER_ZERO_EPOCH' }
  | { code: 'OUTER_INNER_PARENT' }
  | { code: 'OUTER_EARLIER_THAN_PARENT' }
  | { code: 'OUTER_TOO_FAR_AHEAD' }
  | { code: 'OUTER_P_CHAIN_HEIGHT_DECREASES' }
  | { code: 'OUTER_P_CHAIN_HEIGHT_UNKNOWN'; height: bigint; current: bigint }
  | { code: 'OUTER_P_CHAIN_HEIGHT_TOO_LOW' }
  | { code: 'OUTER_EPOCH_MISMATCH' }
  | { code: 'OUTER_EPOCH_BEFORE_FIRST' }
  | { code: 'OUTER_FIRST_IS_SIGNED' }
  | { code: 'OUTER_UNEXPECTED_PROPOSER'; slot: bigint; expected: string }
  | { code: 'OUTER_WINDOW_NOT_STARTED'; delay: bigint; least: bigint }
  | { code: 'OUTER_UNSIGNED' }
  | { code: 'OUTER_SIGNED_WITHOUT_VALIDATORS' }
  | { code: 'OUTER_WEIGHT_OVERFLOW' }
  | { code: 'OUTER_NO_WEIGHT' };
export class OuterBlockError extends Fault<OuterBlockFault> {}
