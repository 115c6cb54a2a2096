import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFrom } from '../../app/config/config.ts';
import { parseFlags } from '../../app/config/flags.ts';
import { dataFilesIn } from '../../app/node/data-files.ts';
import { createNetworkContext } from '../../app/node/network-context.ts';
import { createBunEnv } from '../../app/platform/bun/env.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { openStore } from '../../ledger/store/store.ts';
import { reindex, withRebuiltIndex } from './reindex.ts';

test('the rebuilt index is closed and removed after its use, and closed and kept for the next run after a failure', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-reindex-'));
  const env = { ...createBunEnv({ version: '0.0.0', log: Object.assign(() => {}, { isShown: () => false }) }), showProgress: () => {} };
  const files = dataFilesIn(dataDir);
  env.makeFolder(files.folder);
  const store = openStore(env.openDatabase, { path: files.database, networkID: 12345, genesis: zeroId });
  const attached = () =>
    store.db
      .prepare<{ name: string }>('PRAGMA database_list')
      .all()
      .map(({ name }) => name);
  const rebuild = <T>(use: () => T): T => withRebuiltIndex({ store, files, env, specs: [] }, use);
  const rebuilt = () => readdirSync(files.folder).filter((name) => name.startsWith('reindex'));
  try {
    expect(rebuild(attached)).toEqual(['main', 'rebuilt']);
    expect([attached(), rebuilt()]).toEqual([['main'], []]);
    const fail = () => {
      throw new RangeError('the use failed');
    };
    expect(() => rebuild(fail)).toThrow('the use failed');
    expect([attached(), rebuilt()]).toEqual([['main'], ['reindex.sqlite']]);
    expect(rebuild(attached)).toEqual(['main', 'rebuilt']);
    expect([attached(), rebuilt()]).toEqual([['main'], []]);
  } finally {
    store.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('a database without blocks has nothing to index', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-reindex-'));
  const flags = parseFlags(['reindex', `--data-dir=${dataDir}`], { vars: {}, readFile: String });
  if (flags.kind !== 'run') throw new TypeError(JSON.stringify(flags));
  const config = configFrom(flags.options);
  const env = createBunEnv({ version: '0.0.0', log: Object.assign(() => {}, { isShown: () => false }) });
  const files = dataFilesIn(dataDir);
  env.makeFolder(files.folder);
  const genesis = createNetworkContext(config, env).specs[0].id;
  openStore(env.openDatabase, { path: files.database, networkID: config.network.id, genesis }).close();
  try {
    expect(reindex(config, env)).toEqual({ lines: ['there are no blocks yet, and nothing to index'], isDamaged: false });
    expect(readdirSync(files.folder).filter((name) => name.startsWith('reindex'))).toEqual([]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
