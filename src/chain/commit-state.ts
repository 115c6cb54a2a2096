import { type AnyFault, Fault } from '../fault.ts';
import { ChainError } from './fault.ts';

/** Whether accepted blocks can be stored: the failure of the last commit, until a commit succeeds or no transaction waits for one. */
export type CommitState = {
  readonly failed: (height: bigint, error: unknown) => void;
  readonly cleared: () => void;
  readonly failure: () => AnyFault | undefined;
  /** Throws while the last commit failed: the transaction would only wait, and the caller would take it for issued. */
  readonly checkIssuable: () => void;
};

/** `onChange` is called when commits begin to fail and when they succeed again, not at every failure. */
export function createCommitState(onChange: () => void): CommitState {
  let failure: ChainError | undefined;
  return {
    failed: (height, error) => {
      const wasFailing = failure !== undefined;
      const cause = error instanceof Fault ? error.fault.code : 'STORE_FAILED';
      failure = new ChainError(`block ${height} could not be stored: ${(error as { message?: string } | null)?.message ?? error}`, {
        code: 'BLOCK_NOT_STORED',
        cause,
        height,
      });
      if (!wasFailing) onChange();
    },
    cleared: () => {
      if (failure === undefined) return;
      failure = undefined;
      onChange();
    },
    failure: () => failure,
    checkIssuable: () => {
      if (failure !== undefined) throw new ChainError(`transaction not issued: ${failure.message}`, failure.fault);
    },
  };
}
