import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import { parseDatabaseUrl } from '../postgres/database-url.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import type { DatabaseConfig } from './database-config.ts';
import { openDatabaseHosts } from './database-hosts.ts';
import { startPosition } from './read-position.ts';

/** Opens hosts on servers that `answer` stands for: it gets the host of the URL and the text of a statement. */
function openHosts(url: string, answer: (host: string, text: string) => unknown[]) {
  const clock = createVirtualClock(0);
  const openPostgres: ClusterEnv['openPostgres'] = ({ url: one }) => {
    const host = parseDatabaseUrl(one).hosts[0]?.host as string;
    return {
      all: async (text: string) => {
        const rows = answer(host, text);
        return text.includes('pg_is_in_recovery')
          ? [{ is_replica: host !== 'p', wal: host === 'p' ? '00000001' : null, started: host, direct: 'yes', schema: 'public' }]
          : rows;
      },
      close: async () => {},
    } as unknown as Postgres;
  };
  const env = {
    openPostgres,
    log: () => {},
    timers: clock,
    clock: { monotonic: clock.now },
    random: () => new Uint8Array(1),
  } as unknown as ClusterEnv;
  return openDatabaseHosts({ url, statementTimeout: 1000, readsReplicas: true } as DatabaseConfig, env);
}

const down = () => new PostgresError('Connection refused', { code: 'DATABASE_DOWN', reason: 'test' });

test('the first statement selects a host; without one it fails and says so', async () => {
  let isUp = false;
  const hosts = openHosts('postgres://reads@p/db', () => {
    if (!isUp) throw down();
    return [{ n: 1 }];
  });
  await expect(hosts.sql.all('SELECT 1 AS n', [])).rejects.toMatchObject({ fault: { code: 'DATABASE_DOWN' } });
  isUp = true;
  expect(await hosts.sql.all<unknown>('SELECT 1 AS n', [])).toEqual([{ n: 1 }]);
  expect(hosts.readsPrimary()).toBe(true);
});

test('a read that gets no answer is made once more on another host; a statement on the primary is not', async () => {
  const silent = new Set<string>();
  const asked: string[] = [];
  const hosts = openHosts('postgres://reads@a,p/db', (host, text) => {
    if (!text.includes('pg_is_in_recovery')) asked.push(host);
    if (silent.has(host)) throw down();
    return [{ n: 1 }];
  });
  const read = () => hosts.sql.all<unknown>('SELECT 1 AS n', []);
  await read();
  silent.add('a');
  expect(await read()).toEqual([{ n: 1 }]);
  expect(asked).toEqual(['a', 'a', 'p']);
  // Hosts that do not have what was served are behind, not down.
  const later = { heights: [1], revision: 0 };
  hosts.track(
    async () => startPosition,
    () => later,
  );
  silent.clear();
  silent.add('p');
  await expect(read()).rejects.toMatchObject({ fault: { code: 'DATABASE_BEHIND' } });
  expect(await hosts.settledSql.all<unknown>('SELECT 1 AS n', [])).toEqual([{ n: 1 }]);
  silent.add('a');
  await expect(read()).rejects.toMatchObject({ fault: { code: 'DATABASE_DOWN' } });
  asked.length = 0;
  await expect(hosts.primary.all('SELECT 1 AS n', [])).rejects.toMatchObject({ fault: { code: 'DATABASE_DOWN' } });
  silent.clear();
  await hosts.primary.all('SELECT 1 AS n', []);
  silent.add('p');
  asked.length = 0;
  await expect(hosts.primary.all('SELECT 1 AS n', [])).rejects.toMatchObject({ fault: { code: 'DATABASE_DOWN' } });
  expect(asked).toEqual(['p']);
});
