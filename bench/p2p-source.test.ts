import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Id } from '../src/base/bytes/id.ts';
import { acceptBlock, openOuterChain } from '../src/network/outer-chain/outer-chain.fixture.ts';
import { openOuterStore } from '../src/network/outer-chain/outer-store.ts';
import { openChainStore } from './chain-store.ts';
import { generateSourceChain } from './p2p-source.ts';

test('the generated chain is valid for a node in normal operation, signatures and epochs included', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'serac-source-'));
  try {
    await generateSourceChain(dir, 520, new AbortController().signal);
    const source = openChainStore(dir, 'read');
    const outer = openOuterStore(source.store, source.state.id, source.state.blockAt);
    const { vm, close } = openOuterChain({ ms: Date.now() });
    for (let height = 1n; height <= 520n; height++) acceptBlock(vm, vm.parse(outer.bytes(outer.idAt(height) as Id) as Uint8Array));
    expect(vm.lastAccepted()).toBe(outer.idAt(520n) as Id);
    expect(outer.idAt(521n)).toBeUndefined();
    close();
    source.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
