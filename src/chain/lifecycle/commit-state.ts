import { type AnyFault, Fault } from '../../base/fault.ts';
import { ChainError } from './fault.ts';

/** The failure of the last commit, until a commit succeeds or no transaction is left to store. */
export type CommitState = {
  readonly recordFailure: (height: bigint, error: unknown) => void;
  readonly clear: () => void;
  /** The store's error. */
  readonly failure: () => AnyFault | undefined;
  /** Throws if the last commit failed: the caller would believe the transaction issued, but it could not be stored. */
  readonly checkIssuable: () => void;
};

/** `onChange` is called when commits begin to fail and when they succeed again, not at every failure. */
export function createCommitState(onChange: () => void): CommitState {
  let last: { readonly height: bigint; readonly failure: AnyFault } | undefined;
  return {
    recordFailure: (height, error) => {
      const wasFailing = last !== undefined;
      last = { height, failure: error instanceof Fault ? error : unknownFailure(height, error) };
      if (!wasFailing) onChange();
    },
    clear: () => {
      if (last === undefined) return;
      last = undefined;
      onChange();
    },
    failure: () => last?.failure,
    checkIssuable: () => {
      if (last === undefined) return;
      const { height, failure } = last;
      throw notStoredError(
        `transaction not issued: block ${height} could not be stored: ${failure.message}; the node tries again every second`,
        height,
        failure.fault.code,
      );
    },
  };
}

const notStoredError = (message: string, height: bigint, cause: string) =>
  new ChainError(message, { code: 'BLOCK_NOT_STORED', cause, height });

const unknownFailure = (height: bigint, error: unknown): AnyFault =>
  notStoredError(String((error as { message?: unknown } | null)?.message ?? error), height, 'UNKNOWN');
