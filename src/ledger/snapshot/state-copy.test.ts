import { describe, expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { openChain } from '../state/open-chain.fixture.ts';
import { memoryPath } from '../store/database.ts';
import { copyTables } from './state-copy.ts';

for (const { name, open } of sqliteDrivers)
  describe(name, () => {
    test.skipIf(!existsSync('/dev/full'))('a copy to a full disk says that it is full, and the next one succeeds', () => {
      const { store } = openChain(open, memoryPath);
      const copyTo = (path: string): void => {
        for (const _ of copyTables(store.db, path));
      };
      expect(() => copyTo('/dev/full')).toThrow('database or disk is full');
      const path = join(tmpdir(), `serac-copy-${process.pid}`);
      copyTo(path);
      rmSync(path);
      store.close();
    });
  });
