import type { Address } from '../../base/bytes/address.ts';
import { type BoundedWait, createBoundedWait } from '../../base/timing/bounded-wait.ts';
import type { AddressTask } from '../../chain/follow/address-task.ts';
import { ApiError, apiError } from './api-error.ts';
import type { BackfillOutcome } from './served-chains.ts';

/**
 * Returns a function that fetches what blocks do not contain about the addresses of a request from a source: the followed or trusted node or,
 * in `serac api`, the indexer. The caller waits a second at most, and not at all while the source stays silent; see `BoundedWait`.
 * A balance is never too low: if outputs may be missing, the function rejects with an `ApiError`. If only imports are unknown, it resolves with
 * `imports-unknown`.
 */
export function createAddressBackfill({
  clock,
  timers,
  isAway,
  fetchOutputs,
  fetchImports,
}: {
  readonly clock: { readonly monotonic: () => number };
  readonly timers: Pick<Parameters<typeof createBoundedWait>[0], 'after' | 'soon'>;
  /** Whether the source is known to be unreachable: nothing is fetched then. */
  readonly isAway: () => boolean;
  /** Both reject with an `ApiError` if the source fails. */
  readonly fetchOutputs: AddressTask;
  readonly fetchImports: AddressTask;
}) {
  const { after, soon } = timers;
  const wait = createBoundedWait({ now: clock.monotonic, after, soon, isAway, isSilence: isUnavailable });
  return async ({
    withoutOutputs,
    withExports,
  }: {
    /** Addresses whose outputs from before linearization are not stored. */
    readonly withoutOutputs: readonly Address[];
    /** Addresses that have exports of which it is not known whether another chain has imported them. */
    readonly withExports: readonly Address[];
  }): Promise<BackfillOutcome> => {
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
