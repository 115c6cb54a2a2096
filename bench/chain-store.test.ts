import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChainStore } from './chain-store.ts';

test('a new directory is opened for writing, then for reading', () => {
  const dir = mkdtempSync(join(tmpdir(), 'serac-chain-store-'));
  for (const access of ['write', 'read'] as const) {
    const chain = openChainStore(dir, access);
    expect(chain.state.height()).toBe(0n);
    expect(chain.pageSecret()).toHaveLength(32);
    chain.close();
  }
  rmSync(dir, { recursive: true, force: true });
});
