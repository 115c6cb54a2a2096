import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres } from '../src/app/platform/postgres-bun.ts';
import { explorerTablesOf } from '../src/ledger/index/explorer-tables.ts';
import { newestVersion } from '../src/ledger/index/migrations.ts';
import { checksumsPath } from '../src/ledger/store/page-checksums.ts';
import { eventually } from './processes.ts';
import { startIndexer, startProgram } from './program.ts';
import { hasServers, openServers, suiteName } from './servers.ts';

/** Statements that make an index of this version one of version 5, which had no `txOutputs`. */
const downgrade = [
  `DROP TABLE ${explorerTablesOf(1).txOutputs}`,
  `UPDATE meta SET value = 5 WHERE name = 'index' OR name = 'index of chain 1'`,
];

const announcement = (what: string) => `migrating ${what} from version 5 to ${newestVersion};`;

test('a migration of a data directory is announced, and is not repeated', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-migration-'));
  try {
    const start = async () => {
      const node = await startProgram(`--data-dir=${dataDir}`, '--workers=0');
      await node.stop();
      return node.stderrText();
    };
    expect(await start()).not.toContain('migrat');
    const path = join(dataDir, 'db', 'serac.sqlite');
    const db = new Database(path);
    for (const statement of downgrade) db.exec(statement);
    db.close();
    // Another program has changed the file.
    rmSync(checksumsPath(path));
    const log = await start();
    expect(log).toContain(announcement('the index of the data directory'));
    expect(log).toContain('migrated the index of the data directory');
    expect(await start()).not.toContain('migrat');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 60_000);

test.skipIf(!hasServers)(
  suiteName('a migration of PostgreSQL is announced', hasServers),
  async () => {
    const servers = await openServers('serac_migration');
    const node = await startProgram('--workers=0');
    const sql = openPostgres({ url: servers.database });
    try {
      const run = async (expected: string) => {
        const indexer = startIndexer(node.url, `--database-url=${servers.database}`);
        const log = await eventually(
          async () => indexer.stderrText(),
          (text) => text.includes(expected),
          60_000,
        );
        await indexer.stop();
        return log;
      };
      expect(await run('caught up')).not.toContain('migrat');
      for (const statement of downgrade) await sql.all(statement, []);
      const log = await run('migrated the index in PostgreSQL');
      expect(log).toContain(announcement('the index in PostgreSQL'));
    } finally {
      await sql.close();
      await node.stop();
      await servers.close();
    }
  },
  120_000,
);
