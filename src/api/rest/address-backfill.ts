import type { Address } from '../../base/bytes/address.ts';
import { type BoundedWait, createBoundedWait } from '../../base/timing/bounded-wait.ts';
import type { AddressTask } from '../../chain/follow/address-task.ts';
import { ApiError, apiError } from './api-error.ts';
import type { BackfillOutcome } from './served-chains.ts';

/** The addresses of a request that the other side must be asked about. */
type AskedAddresses = {
  /** Those whose outputs from before linearization are not stored. */
  readonly withoutOutputs: readonly Address[];
  /** Those that have exports whose import is not known. */
  readonly withExports: readonly Address[];
};

type AddressBackfillDeps = {
  readonly clock: { readonly monotonic: () => number };
  readonly timers: Pick<Parameters<typeof createBoundedWait>[0], 'after' | 'soon'>;
  /** Whether the other side is known to be away. */
  readonly isAway: () => boolean;
  /** Both reject with an `ApiError` if the other side fails. */
  readonly fetchOutputs: AddressTask;
  readonly fetchImports: AddressTask;
};

/**
 * Fetches what blocks do not contain from the followed node, or through the indexer, as long as the caller can wait; see `BoundedWait`. A balance is
 * never too low: if outputs may be missing, it rejects with an `ApiError`. Exports whose import is not known are shown as such.
 */
export function createAddressBackfill({ clock, timers, isAway, fetchOutputs, fetchImports }: AddressBackfillDeps) {
  const { after, soon } = timers;
  const wait = createBoundedWait({ now: clock.monotonic, after, soon, isAway, isSilence: isUnavailable });
  return async ({ withoutOutputs, withExports }: AskedAddresses): Promise<BackfillOutcome> => {
    const [outputs, imports] = await Promise.all([
      withoutOutputs.length === 0 ? 'answered' : wait.run(() => fetchOutputs(withoutOutputs)),
      withExports.length === 0 ? 'answered' : wait.run(() => fetchImports(withExports)).catch(ignoreApiError),
    ]);
    if (outputs === 'unanswered') throw outputsMissing(wait);
    return imports === 'answered' ? 'complete' : 'imports-unknown';
  };
}

const isUnavailable = (error: unknown): error is ApiError => error instanceof ApiError && error.fault.status === 503;

function ignoreApiError(error: unknown): 'unanswered' {
  if (error instanceof ApiError) return 'unanswered';
  throw error;
}

const outputsMissing = ({ reason }: BoundedWait): ApiError =>
  apiError(
    503,
    `Outputs from before linearization of these addresses are not stored yet: ${reason() ?? 'no answer for a second'}; try again`,
  );
