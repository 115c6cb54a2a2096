import { SeracError, type SeracFault } from '../api/client/fault.ts';
import type { KnownFault } from '../app/advice/known-faults.ts';

/** An error of every code that docs/reference/errors.md lists: `code` tells which facts `data` has. */
export type KnownError = ErrorOf<KnownFault>;

/** The codes that docs/reference/errors.md lists. */
export type ErrorCode = KnownError['code'];

/** The error of a code: `ErrorByCode<'DEV_INSUFFICIENT_FUNDS'>`. */
export type ErrorByCode<C extends ErrorCode> = Extract<KnownError, { readonly code: C }>;

type ErrorOf<F extends KnownFault> =
  F extends Extract<SeracFault, { readonly code: 'RPC_ERROR' }>
    ? SeracError & { readonly code: 'RPC_ERROR'; readonly data: unknown }
    : F extends KnownFault
      ? SeracError & { readonly code: F['code']; readonly data: F }
      : never;

/**
 * Whether a thrown value is an error of Serac. Its `code` then is one of the known codes, and a check of it gives `data` the type of that code:
 *
 *     try {
 *       await node.dev.send({ to, amount });
 *     } catch (error) {
 *       if (!isSeracError(error)) throw error;
 *       if (error.code === 'DEV_INSUFFICIENT_FUNDS') console.log(error.data.have, error.data.need);
 *     }
 *
 * Not listed are codes of faults inside a node, and those of newer versions: a `switch` needs a `default`.
 */
export const isSeracError = (value: unknown): value is KnownError => value instanceof SeracError;
