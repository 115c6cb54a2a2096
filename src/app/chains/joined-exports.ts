import { apiError } from '../../api/rest/api-error.ts';
import type { AddressTask } from '../../chain/follow/address-task.ts';
import { FollowError } from '../../chain/follow/fault.ts';
import type { ForeignReads } from '../../chain/follow/majority-remote.ts';
import { createSpentExportsBackfill } from '../../chain/follow/spent-exports-backfill.ts';
import type { ExportedOutputs } from '../../ledger/index-write/exported-outputs.ts';
import type { Env } from '../setup/env.ts';
import type { NetworkContext } from '../setup/network-context.ts';

/** Which exports of a joined chain the P- and C-Chain have imported: the trusted nodes, which run those chains, are asked as a followed node is. */
type JoinedExports = {
  /** Rejects with an `ApiError` if the trusted nodes fail. */
  readonly backfillAddresses: AddressTask;
  /** Counts the backfills since the start. */
  readonly backfillRevision: () => number;
};

export function openJoinedExports(
  remote: Pick<ForeignReads, 'height' | 'utxos'>,
  { clock }: Pick<Env, 'clock'>,
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
  return {
    backfillAddresses: (addresses) =>
      backfill(addresses).catch((error: unknown) => {
        if (!(error instanceof FollowError)) throw error;
        const reason = 'why' in error.fault ? error.fault.why : error.message;
        throw apiError(503, `The nodes of --validators-from cannot be asked which exports other chains have imported: ${reason}`);
      }),
    backfillRevision: () => revision,
  };
}
