import { createAddressBackfill } from '../../api/rest/address-backfill.ts';
import { apiError } from '../../api/rest/api-error.ts';
import { coalesce } from '../../api/rest/coalesce.ts';
import type { ServedChain } from '../../api/rest/served-chains.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createAddressTask } from '../../chain/follow/address-task.ts';
import { runOnPostgres } from '../../ledger/index/query-runner.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { exportedOutputQueries } from '../../ledger/index-write/exported-outputs.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { createBackfillRequester } from '../indexer/backfill-queue.ts';
import { isDatabaseDown } from '../postgres/postgres-fault.ts';
import type { IndexVersion } from './index-version.ts';
import type { IndexedChain } from './version-query.ts';

/** Milliseconds for which the state of an address's exported outputs is not fetched again. */
const exportsMaxAge = 1000;
const maxConcurrentRequests = 1024;

/**
 * Backfills addresses: asks the indexer to fetch from the followed node what blocks do not contain, and waits until reads see it. Skips addresses
 * for which there is nothing to fetch. What another indexer than the one that writes now has fetched may have been lost with a failed primary: the
 * records of it then are too, so it is fetched again.
 */
export function createIndexerBackfill(
  { clock, timers, random }: Pick<ClusterEnv, 'clock' | 'timers' | 'random'>,
  {
    primary,
    version,
    isAway,
    sql,
    chain,
    completeFrom: readCompleteFrom,
    findUnrecorded,
    counterparts,
  }: {
    readonly primary: DatabaseHosts['primary'];
    readonly version: Pick<IndexVersion, 'reachPrimary' | 'writer'>;
    /** Whether the indexer, or the node that it follows, is known not to answer. */
    readonly isAway: () => boolean;
    readonly sql: Sql;
    readonly chain: Pick<IndexedChain, 'number' | 'id'>;
    /** The height from which the blocks contain everything; 0: all of them do. */
    readonly completeFrom: () => Promise<number>;
    /** Returns the addresses whose outputs from before linearization may not be stored. */
    readonly findUnrecorded: (addresses: readonly Address[]) => Promise<readonly Address[]>;
    /** The chains that import exports of this one. */
    readonly counterparts: readonly Id[];
  },
): Required<Pick<ServedChain, 'backfills'>> & Pick<ServedChain, 'backfillAddresses'> {
  const now = clock.monotonic;
  const request = createBackfillRequester(primary, { timers, now, random });
  const reachPrimary = coalesce(version.reachPrimary);
  /** Counts what was fetched. */
  let fetched = 0;
  /** Counts when the host that is read has something that a read which began before may have missed. */
  let count = 0;
  /** Done when the host that is read has what was fetched: a caller may have left meanwhile, and the next one does not ask again. */
  const requestBackfill = async (address: Address): Promise<void> => {
    try {
      await request(address);
      await reachPrimary();
    } catch (error) {
      // Without a primary nobody can be asked, as without an indexer.
      throw isDatabaseDown(error) ? noPrimary() : error;
    }
    fetched++;
  };
  const concurrency = maxConcurrentRequests;
  const createTasks = () => ({
    writer: version.writer(),
    outputs: createAddressTask(requestBackfill, { concurrency }),
    imports: createAddressTask(requestBackfill, { concurrency, validFor: { milliseconds: exportsMaxAge, now } }),
  });
  let tasks = createTasks();
  const findWithoutOutputs = async (addresses: readonly Address[]): Promise<readonly Address[]> => {
    if ((await readCompleteFrom()) === 0) return [];
    const { outputs } = tasks;
    const unknown = addresses.filter((address) => !outputs.isDone(address));
    return unknown.length === 0 ? [] : findUnrecorded(unknown);
  };
  const { filterOwners } = exportedOutputQueries(chain, sql.dialect);
  const backfill = createAddressBackfill({
    clock,
    timers,
    isAway,
    fetchOutputs: (addresses) => tasks.outputs(addresses),
    fetchImports: (addresses) => tasks.imports(addresses),
  });
  return {
    backfillAddresses: async (addresses) => {
      const before = fetched;
      if (tasks.writer !== version.writer()) tasks = createTasks();
      const readOwners = () => runOnPostgres(sql, filterOwners(addresses, counterparts));
      const [withoutOutputs, { owners: withExports, version: exportsBefore }] = await Promise.all([
        findWithoutOutputs(addresses),
        readOwners(),
      ]);
      if (withoutOutputs.length === 0 && withExports.length === 0) return 'complete';
      const outcome = await backfill({ withoutOutputs, withExports });
      if (fetched === before) return outcome;
      // Nearly always nothing was imported: to look at the exports once more takes one statement, to read everything again up to ten.
      if (withoutOutputs.length > 0 || (await readOwners()).version !== exportsBefore) count++;
      return outcome;
    },
    backfills: () => count,
  };
}

const noPrimary = () => apiError(503, 'the primary of the database does not answer, through which the indexer is asked');
