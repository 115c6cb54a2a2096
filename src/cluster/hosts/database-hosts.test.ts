import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import type { DatabaseConfig } from './database-config.ts';
import { openDatabaseHosts } from './database-hosts.ts';

test('the first statement selects a host; without one it fails and says so', async () => {
  let isUp = false;
  const clock = createVirtualClock(0);
  const openPostgres = () =>
    ({
      all: async (text: string) => {
        if (!isUp) throw new PostgresError('Connection refused', { code: 'DATABASE_DOWN', reason: 'test' });
        return text.includes('pg_is_in_recovery') ? [{ is_replica: false, wal: '00000001', direct: 'yes', schema: 'public' }] : [{ n: 1 }];
      },
      close: async () => {},
    }) as unknown as Postgres;
  const env = {
    openPostgres,
    log: () => {},
    timers: clock,
    clock: { monotonic: clock.now },
    random: () => new Uint8Array(1),
  } as unknown as ClusterEnv;
  const hosts = openDatabaseHosts({ url: 'postgres://reads@127.0.0.1/db', statementTimeout: 1000 } as DatabaseConfig, env);
  await expect(hosts.sql.all('SELECT 1 AS n', [])).rejects.toMatchObject({ fault: { code: 'DATABASE_DOWN' } });
  isUp = true;
  expect(await hosts.sql.all<unknown>('SELECT 1 AS n', [])).toEqual([{ n: 1 }]);
  expect(hosts.readsPrimary()).toBe(true);
});
