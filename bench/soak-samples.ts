import { readdirSync, statSync } from 'node:fs';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import type { Client } from '../test/http.ts';
import { listProcessTree, readMemory } from './process-usage.ts';
import type { Series } from './soak-trend.ts';
import type { TableSize } from './table-sizes.ts';

/** What one sample reads. Undefined: not to be read on this system; the series is then left out. */
type Reading = {
  readonly name: string;
  readonly unit: string;
  readonly read: () => Promise<number | undefined>;
  /** What it may grow to. */
  readonly readLimit?: () => Promise<number | undefined>;
};

export const acceptedReading = 'accepted transactions';

/** The node that is sampled, and what only the load knows. */
type Sampled = {
  readonly pid: number;
  readonly client: Client;
  /** Path of the database file. */
  readonly database: string;
  /** Milliseconds from the call of issueTx to the event: the median since the last sample. */
  readonly takeDelay: () => number | undefined;
  /** Bytes of the scripts of the explorer's first page after a garbage collection; absent without a browser. */
  readonly pageHeap?: (() => Promise<number>) | undefined;
};

const megabyte = 1e6;
/** The megabytes of `readMemory`. */
const mebibyte = 1_048_576;

/** The quantities that must not grow, and the transactions that were accepted. Caches are counted apart from other memory: they grow to their budget. */
export function soakReadings({ pid, client, database, takeDelay, pageHeap }: Sampled): readonly Reading[] {
  const metric = async (name: string): Promise<number | undefined> => {
    const { text } = await client.send('GET', '/ext/metrics');
    const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const readUncached = async (): Promise<number | undefined> => {
    const [all, cached] = [readMemory(pid)?.megabytes, await metric('serac_cache_bytes')];
    return all === undefined || cached === undefined ? undefined : all - cached / mebibyte;
  };
  return [
    { name: 'memory of all processes without caches', unit: 'MB', read: readUncached },
    {
      name: 'caches of all processes',
      unit: 'MB',
      read: async () => scale(await metric('serac_cache_bytes')),
      readLimit: async () => scale(await metric('serac_cache_max_bytes')),
    },
    { name: acceptedReading, unit: '', read: () => metric('serac_transactions_accepted_total') },
    { name: 'heap of the writer', unit: 'MB', read: async () => scale(await metric('process_heap_bytes')) },
    { name: 'file handles', unit: '', read: async () => countHandles(pid) },
    { name: 'write-ahead log', unit: 'MB', read: async () => scale(sizeOf(`${database}-wal`)) },
    {
      name: 'database per transaction',
      unit: 'bytes',
      read: async () => (sizeOf(database) ?? 0) / ((await metric('serac_transactions_accepted_total')) ?? Number.NaN),
    },
    { name: 'transactions that wait', unit: '', read: () => metric('serac_mempool_transactions') },
    { name: 'delay of acceptance', unit: 'ms', read: async () => takeDelay() },
    { name: 'heap of the first page', unit: 'MB', read: async () => scale(await pageHeap?.()) },
  ];
}

/** Collects a series for each reading. */
export function createSampler(readings: readonly Reading[]) {
  const points = readings.map(() => [] as { seconds: number; value: number }[]);
  const limits = new Map<string, number | undefined>();
  return {
    sample: async (seconds: number): Promise<void> => {
      for (const [i, { name, read, readLimit }] of readings.entries()) {
        const value = await read();
        if (readLimit !== undefined) limits.set(name, await readLimit());
        if (value !== undefined && Number.isFinite(value)) points[i]?.push({ seconds, value });
      }
    },
    series: (): Series[] =>
      readings.flatMap(({ name, unit }, i) =>
        points[i]?.length === 0 ? [] : [{ name, unit, points: points[i] ?? [], limit: limits.get(name) }],
      ),
  };
}

/** Rows and bytes of each table of a SQLite file, largest first. Reads the whole file. */
export function readSqliteTableSizes(path: string): TableSize[] {
  const db = openDatabase(path, { readonly: true });
  try {
    const sizes = db
      .prepare<{ table: string; isIndex: number; bytes: number }>(
        `SELECT s.tbl_name AS "table", max(s.type = 'index') AS isIndex, sum(d.pgsize) AS bytes
         FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = 1 GROUP BY s.name`,
      )
      .all();
    const sum = (table: string, isIndex: number) =>
      sizes.filter((one) => one.table === table && one.isIndex === isIndex).reduce((total, { bytes }) => total + bytes, 0);
    return [...new Set(sizes.map(({ table }) => table))]
      .map((table) => ({
        table,
        rows: db.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM "${table}"`).get()?.rows ?? 0,
        bytes: sum(table, 0),
        indexBytes: sum(table, 1),
      }))
      .sort((a, b) => b.bytes + b.indexBytes - a.bytes - a.indexBytes);
  } finally {
    db.close();
  }
}

const scale = (bytes: number | undefined): number | undefined => (bytes === undefined ? undefined : bytes / megabyte);

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Open files and sockets of a process and its descendants. */
function countHandles(pid: number): number | undefined {
  let count: number | undefined;
  for (const one of listProcessTree(pid))
    try {
      count = (count ?? 0) + readdirSync(`/proc/${one}/fd`).length;
    } catch {
      // The process has exited, or there is no /proc.
    }
  return count;
}
