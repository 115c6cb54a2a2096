import { apiError } from '../../api/rest/api-error.ts';
import type { AddressTask } from '../../chain/follow/address-task.ts';
import { FollowError } from '../../chain/follow/fault.ts';
import { withRetries } from '../../chain/follow/retrying-remote.ts';
import { createSpentExportsBackfill } from '../../chain/follow/spent-exports-backfill.ts';
import type { ExportedOutputs } from '../../ledger/index-write/exported-outputs.ts';
import type { Env } from '../setup/env.ts';
import type { NetworkContext } from '../setup/network-context.ts';
import { createRemote, createTiming } from './follow.ts';

/** Which exports of a joined chain the P- and C-Chain have imported: the trusted node, which runs those chains, is asked as a followed node is. */
export type JoinedExports = {
  /** Rejects with an `ApiError` if the trusted node fails. */
  readonly backfillAddresses: AddressTask;
  /** Counts the backfills since the start. */
  readonly backfillRevision: () => number;
  readonly close: () => void;
};

export function openJoinedExports(url: string, env: Env, { chain, p, c }: NetworkContext, exported: ExportedOutputs): JoinedExports {
  const abort = new AbortController();
  const timing = createTiming(env);
  const remote = createRemote(url, env, chain.network.hrp);
  let revision = 0;
  const backfill = createSpentExportsBackfill({
    remote: withRetries(remote, { timing, signal: abort.signal }),
    exportedOutputs: {
      listUnspent: exported.listUnspent,
      markSpent: async (spent) => {
        await exported.markSpent(spent);
        revision++;
      },
    },
    foreign: { P: p.id, C: c.id },
    now: timing.now,
  });
  return {
    backfillAddresses: (addresses) =>
      backfill(addresses).catch((error: unknown) => {
        if (!(error instanceof FollowError)) throw error;
        const reason = 'why' in error.fault ? error.fault.why : error.message;
        throw apiError(503, `The node of --validators-from cannot be asked which exports other chains have imported: ${reason}`);
      }),
    backfillRevision: () => revision,
    close: () => {
      abort.abort();
      remote.close();
    },
  };
}
