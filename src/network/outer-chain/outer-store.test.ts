import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptBlock, codeOf, createIssuer, extend, openOuterChain, randomId, testClock } from './outer-chain.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-outer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a failure while the outer block is stored leaves both chains at the block before; the block can be accepted later', () => {
  let isFailing = false;
  const path = join(folder, 'failing.sqlite');
  const clock = testClock();
  const chain = openOuterChain(clock, {
    path,
    wrapStore: (store) => ({
      ...store,
      insert: (blocks) => {
        store.insert(blocks);
        if (isFailing) throw new Error('disk full');
      },
    }),
  });
  const issue = createIssuer();
  const first = extend(chain, issue());
  chain.chain.issue(issue());
  const block = chain.vm.build()!;
  chain.vm.verify(block);
  isFailing = true;
  expect(() => chain.vm.accept([block.id])).toThrow('disk full');
  expect([chain.vm.lastAccepted(), chain.state.height(), chain.vm.blockIdAtHeight(2n)]).toEqual([first.id, 1n, undefined]);
  isFailing = false;
  chain.vm.accept([block.id]);
  expect([chain.vm.lastAccepted(), chain.state.height(), chain.vm.blockIdAtHeight(2n)]).toEqual([block.id, 2n, block.id]);
  chain.close();
});

test('a process that is killed while it accepts blocks has outer and inner blocks of the same height', async () => {
  const path = join(folder, 'killed.sqlite');
  const program = `
    import { createIssuer, extend, openOuterChain } from ${JSON.stringify(join(import.meta.dir, 'outer-chain.fixture.ts'))};
    const chain = openOuterChain({ ms: 1_800_000_000_000 }, { path: ${JSON.stringify(path)} });
    const issue = createIssuer();
    for (let i = 0; i < 10_000; i++) { extend(chain, issue()); if (i === 20) console.log('running'); }`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' });
  for await (const _ of child.stdout) break;
  child.kill('SIGKILL');
  await child.exited;
  const chain = openOuterChain(testClock(), { path });
  expect(chain.state.height()).toBeGreaterThanOrEqual(20n);
  expect(chain.outerStore.last()).toEqual({ id: chain.vm.lastAccepted(), height: chain.state.height() });
  expect(chain.vm.block(chain.vm.lastAccepted())?.height).toBe(chain.state.height());
  chain.close();
});

test('outer blocks above the last inner block are removed at the start', () => {
  const path = join(folder, 'ahead.sqlite');
  const clock = testClock();
  const chain = openOuterChain(clock, { path });
  const block = extend(chain, createIssuer()());
  chain.store.db.prepare('INSERT INTO outer_block SELECT chain, 2, ?, before, after FROM outer_block').run(Buffer.from(randomId(), 'hex'));
  expect(chain.outerStore.last()?.height).toBe(2n);
  chain.close();
  const again = openOuterChain(clock, { path });
  expect([again.vm.lastAccepted(), again.outerStore.last()?.height]).toEqual([block.id, 1n]);
  again.close();
});

test('a chain that decided blocks alone cannot be joined to a network', () => {
  const path = join(folder, 'alone.sqlite');
  const clock = testClock();
  const chain = openOuterChain(clock, { path });
  chain.chain.issue(createIssuer()());
  acceptBlock(chain.chain, chain.chain.build()!);
  chain.close();
  expect(codeOf(() => openOuterChain(clock, { path }))).toBe('OUTER_MISSING');
});

test('a damaged row is reported, also by the health check', () => {
  const chain = openOuterChain(testClock());
  const { id } = extend(chain, createIssuer()());
  chain.store.db.prepare('UPDATE outer_block SET before = ?').run(new Uint8Array(70));
  expect(codeOf(() => chain.vm.blockBytes(id))).toBe('OUTER_DAMAGED');
  expect(codeOf(chain.store.probeWrite)).toBe('STORE_DAMAGED');
});
