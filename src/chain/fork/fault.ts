import { Fault } from '../../base/fault.ts';

export type ForkFault =
  /** The forked node does not answer, or not as expected; `why` says what failed. */
  | { code: 'FORK_SOURCE_FAILED'; url: string; why: string }
  | { code: 'FORK_ADDRESS_TOO_LARGE'; address: string; max: number }
  /** The forked node cannot answer for the block of --fork-block-number. */
  | { code: 'FORK_NO_HEIGHT'; url: string; height: string; why: string }
  | { code: 'FORK_TOO_MANY_INPUTS'; max: number }
  | { code: 'FORK_NOT_A_FORK'; dataDir: string };
export class ForkError extends Fault<ForkFault> {}
