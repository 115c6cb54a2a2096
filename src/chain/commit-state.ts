import { type AnyFault, Fault } from '../fault.ts';
import { ChainError } from './fault.ts';

/** Whether accepted blocks can be stored: the failure of the last commit, until a commit succeeds or no transaction waits for one. */
export type CommitState = {
  readonly failed: (height: bigint, error: unknown) => void;
  readonly cleared: () => void;
  /** What the store said. */
  readonly failure: () => AnyFault | undefined;
  /** Throws while the last commit failed: the transaction would only wait, and the caller would take it for issued. */
  readonly checkIssuable: () => void;
};

/** `onChange` is called when commits begin to fail and when they succeed again, not at every failure. */
export function createCommitState(onChange: () => void): CommitState {
  let last: { readonly height: bigint; readonly failure: AnyFault } | undefined;
  return {
    failed: (height, error) => {
      const wasFailing = last !== undefined;
      last = { height, failure: error instanceof Fault ? error : unnamed(height, error) };
      if (!wasFailing) onChange();
    },
    cleared: () => {
      if (last === undefined) return;
      last = undefined;
      onChange();
    },
    failure: () => last?.failure,
    checkIssuable: () => {
      if (last === undefined) return;
      const { height, failure } = last;
      throw notStored(`transaction not issued: block ${height} could not be stored: ${failure.message}`, height, failure.fault.code);
    },
  };
}

const notStored = (message: string, height: bigint, cause: string) => new ChainError(message, { code: 'BLOCK_NOT_STORED', cause, height });

const unnamed = (height: bigint, error: unknown): AnyFault =>
  notStored(String((error as { message?: unknown } | null)?.message ?? error), height, 'UNKNOWN');
