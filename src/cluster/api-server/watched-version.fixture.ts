import { idOf } from '../../base/bytes/id.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import type { ReadPosition } from '../hosts/read-position.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import { watchIndexVersion } from './index-version.ts';
import type { IndexState } from './version-query.ts';

/** The text of a query that fails, and of one that returns the tip. */
export const failing = 'SELECT failing';
export const selectTip = 'SELECT tip';

/** The text of a query of Citus that only the coordinator answers. */
export const ofCoordinator = 'SELECT height FROM progress';

/** A database whose version the test sets, with the functions that its notifications and its timer call. */
export function createWatch(dialect?: 'citus') {
  let tip = 0;
  let server = 1;
  let changes = 0;
  let readsPrimary = true;
  /** What the primary has, if a replica is read, and another host that `select` finds. */
  let primaryTip: number | undefined;
  const selected: ReadPosition[] = [];
  const recorded: number[] = [];
  let servedElsewhere = 0;
  let queries = 0;
  let unchecked = 0;
  /** Whether the next query finds that shards have moved. */
  let haveMoved = false;
  let tick = (): void => {};
  let listening = { onNotify: (_payload: string): void => {}, onLost: (): void => {} };
  // The timer of the watch is set last; a wait for a replica ends at once.
  const after = (milliseconds: number, run: () => void) => {
    if (milliseconds < 100) setTimeout(run, 1);
    else tick = run;
    return () => {};
  };
  let gate: Promise<void> | undefined;
  let recordGate: Promise<void> | undefined;
  const readState = async () => {
    queries++;
    if (haveMoved) changes++;
    haveMoved = false;
    const tips = [{ height: tip, id: idOf(Buffer.from(`${tip}`)), time: tip, lastTx: tip }];
    const state = { version: { tip: `${tip}`, past: '0' }, position: { heights: [tip], revision: 0 }, tips, writer: 1, server };
    await gate;
    return state;
  };
  const sql: DatabaseHosts['sql'] = {
    dialect: 'postgres',
    all: async () => [],
    groupThen: async (all) => {
      const state = await readState();
      return {
        results: all.map(({ text }) =>
          text === failing
            ? { status: 'rejected', reason: new RangeError(text) }
            : { status: 'fulfilled', value: [text === selectTip ? state.position.heights[0] : text] },
        ),
        last: [state],
      };
    },
    groupOnWorkers: async (all) => {
      if (all.some(({ text }) => text === ofCoordinator)) return undefined;
      unchecked++;
      if (haveMoved) return all.map(() => ({ status: 'rejected', reason: new RangeError('old rows') }));
      return all.map(({ text }) => ({ status: 'fulfilled', value: [text] }));
    },
  };
  const version = watchIndexVersion({
    hosts: {
      sql,
      settledSql: sql,
      select: async (wanted) => {
        selected.push(wanted);
        if (primaryTip === undefined) throw new PostgresError('behind', { code: 'DATABASE_BEHIND', reason: 'behind' });
        [tip, readsPrimary] = [primaryTip, true];
        changes++;
      },
      changes: () => changes,
      readsPrimary: () => readsPrimary,
      primaryPosition: async () => ({ heights: [primaryTip ?? tip], revision: 0 }),
    },
    listen: (_, to) => {
      listening = to;
      return () => {};
    },
    query: { text: 'version', values: [], stateOf: ([state]) => state as IndexState, read: readState },
    timers: { after },
    now: () => performance.now(),
    served: {
      record: async ({ heights }) => {
        recorded.push(heights[0] as number);
        await recordGate;
      },
      share: async () => ({ heights: [servedElsewhere], revision: 0 }),
    },
    lowest: { heights: [0], revision: 0 },
    ...(dialect === undefined ? {} : { dialect }),
  });
  /** Runs queries one after the other, as one read. Returns their rows, how often the state was read and how many groups were not checked. */
  const readInTurn = async (...texts: readonly string[]) => {
    const before = [queries, unchecked] as const;
    const rows = await version.sql.checkAtEnd?.(async (one) => {
      const found: unknown[] = [];
      for (const text of texts) found.push(...(await one.all(text, [])));
      return found;
    });
    return { rows, states: queries - before[0], unchecked: unchecked - before[1] };
  };
  return {
    version,
    readInTurn,
    move: () => {
      haveMoved = true;
    },
    /** The tip that a request sees, and how many queries that took. */
    read: async () => {
      const before = queries;
      const { tip: seen } = await version.read();
      return [seen, queries - before];
    },
    listening: () => listening,
    tick: () => tick(),
    setTip: (to: number) => {
      tip = to;
    },
    /** A replica is read from now on; the primary has this tip. */
    readReplica: (primaryHas: number) => {
      [readsPrimary, primaryTip] = [false, primaryHas];
    },
    setServer: (to: number) => {
      server = to;
    },
    setServedElsewhere: (height: number) => {
      servedElsewhere = height;
    },
    selected,
    recorded,
    queries: () => queries,
    /** Queries from now on are not held. */
    releaseLater: () => {
      gate = undefined;
    },
    holdRecords: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      recordGate = promise;
      return resolve;
    },
    holdQueries: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return () => {
        gate = undefined;
        resolve();
      };
    },
  };
}
