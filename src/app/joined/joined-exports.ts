import { createAddressBackfill } from '../../api/rest/address-backfill.ts';
import { apiError } from '../../api/rest/api-error.ts';
import type { ServedChain } from '../../api/rest/served-chains.ts';
import { FollowError } from '../../chain/follow/fault.ts';
import type { ForeignReads } from '../../chain/follow/majority-remote.ts';
import { createSpentExportsBackfill } from '../../chain/follow/spent-exports-backfill.ts';
import type { ExportedOutputs } from '../../ledger/index-write/exported-outputs.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { Env } from '../platform/env.ts';

/** Which exports of a joined chain the P- and C-Chain have imported: the trusted nodes, which run those chains, are asked as a followed node is. */
type JoinedExports = {
  readonly backfillAddresses: NonNullable<ServedChain['backfillAddresses']>;
  /** Counts the backfills since the start. */
  readonly backfillRevision: () => number;
};

export function openJoinedExports(
  remote: Pick<ForeignReads, 'height' | 'utxos'>,
  { clock, timers }: Pick<Env, 'clock' | 'timers'>,
  { p, c }: Pick<NetworkContext, 'p' | 'c'>,
  exported: ExportedOutputs,
): JoinedExports {
  let revision = 0;
  const backfill = createSpentExportsBackfill({
    remote,
    exportedOutputs: {
      listUnspent: exported.listUnspent,
      markSpent: async (spent) => {
        await exported.markSpent(spent);
        revision++;
      },
    },
    foreign: { P: p.id, C: c.id },
    now: clock.monotonic,
  });
  const askTrusted = createAddressBackfill({
    clock,
    timers,
    isAway: () => false,
    // A joined chain has everything from before linearization.
    fetchOutputs: async () => {},
    fetchImports: (addresses) =>
      backfill(addresses).catch((error: unknown) => {
        throw error instanceof FollowError ? apiError(503, error.message) : error;
      }),
  });
  return {
    backfillAddresses: (addresses) => askTrusted({ withoutOutputs: [], withExports: addresses }),
    backfillRevision: () => revision,
  };
}
