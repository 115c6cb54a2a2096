import type { SqlQuery } from '../../ledger/index/sql.ts';
import type { GroupThen, Postgres } from '../postgres/postgres.ts';
import { addPlacements } from './shard-map.ts';

/**
 * Reads the coordinator of a Citus cluster after its workers. What the last statement shows, the state of the index and the placements, is read again only if
 * a transaction has ended since: otherwise PostgreSQL's snapshot is the same, and the same snapshot shows the same rows. Asking for the snapshot takes a third
 * of the CPU of the state, which an answer would read up to five times.
 */
export function createCoordinatorReads(coordinator: () => Pick<Postgres, 'groupThen'>) {
  let known: { readonly last: SqlQuery; readonly snapshot: string; readonly rows: unknown[] } | undefined;

  return {
    /** As `groupThen` of a pool, if `last` has one row, to which the placements are added, and the same values each time. */
    groupThen: async (queries: readonly SqlQuery[], last: SqlQuery): Promise<GroupThen> => {
      const before = known;
      if (before?.last.text === last.text && before.last.values === last.values) {
        const group = await coordinator().groupThen(queries, snapshotQuery);
        if (snapshotOf(group) === before.snapshot) return { results: group.results, last: before.rows };
      }
      // The queries run again too: behind the name of the coordinator another server may have taken over, and they must be of the server of the state.
      const group = await coordinator().groupThen(queries, addSnapshot(addPlacements(last)));
      const read = snapshotOf(group);
      known = read === null ? undefined : { last, snapshot: read, rows: group.last };
      return group;
    },
  };
}

/**
 * SQL for which transactions have ended, and when the server was started, which tells servers apart. NULL on a replica: there snapshots do not name the
 * transactions that run.
 */
const snapshot = `CASE WHEN pg_is_in_recovery() THEN NULL ELSE concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time()) END`;

/** With a value, so that it is prepared. */
const snapshotQuery: SqlQuery = { text: `SELECT ${snapshot} AS snapshot WHERE ? = 0`, values: [0] };

const addSnapshot = ({ text, values }: SqlQuery): SqlQuery => ({ text: `SELECT s.*, ${snapshot} AS snapshot FROM (${text}) s`, values });

const snapshotOf = ({ last: [row] }: GroupThen): string | null =>
  (row as { readonly snapshot?: string | null } | undefined)?.snapshot ?? null;
