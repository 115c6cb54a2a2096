import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Id } from '../bytes/id.ts';
import { drivers } from '../platform/databases.fixture.ts';
import { openFile } from '../platform/offset-file.ts';
import { type ChainEnd, chainEndsIn, checkEnds, readEnds } from './chain-ends.ts';
import { codeOf, grow, type OpenChain, openChain } from './grow.fixture.ts';
import { randomChain } from './random-chain.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-ends-'));
const path = join(folder, 'chain-ends');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [one, other] = ['11'.repeat(32) as Id, '22'.repeat(32) as Id];
const opened = () => chainEndsIn(openFile(path, 'write'));
const noted = (chainID: Id) => readEnds(openFile(path, 'write')).get(chainID);

test('the last note of each chain is there after a restart; a damaged one is as if it had never been', () => {
  const ends = opened();
  for (let height = 0n; height < 12n; height++) ends.note(1, one, { id: other, height });
  ends.note(4, other, { id: one, height: 2n ** 60n });
  ends.close();
  expect([one, other].map(noted)).toEqual([
    { id: other, height: 11n },
    { id: one, height: 2n ** 60n },
  ]);
  const bytes = readFileSync(path);
  for (const at of [3, 70, 84, 90, 160]) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 1;
    writeFileSync(path, damaged);
    expect([one, other].map(noted)).toEqual([undefined, { id: one, height: 2n ** 60n }]);
  }
});

test('a chain that ends before its noted end, or has another block there, is refused', () => {
  const empty = openChain(drivers[0].open);
  const chain = openChain(drivers[0].open);
  grow(chain, randomChain(7), 5);
  const { id, height } = chain.state.lastAccepted();
  const check = ({ store }: OpenChain, end: ChainEnd | undefined, chainID = chain.state.id) =>
    codeOf(() => checkEnds(store, new Map(end && [[chainID, end]]), path));
  expect(check(chain, undefined)).toBe(undefined);
  expect(check(chain, { id, height })).toBe(undefined);
  expect(check(chain, { id: one, height })).toBe('STATE_BEHIND');
  expect(check(chain, { id, height: height + 1n })).toBe('STATE_BEHIND');
  expect(check(chain, { id, height }, one)).toBe('STATE_BEHIND');
  expect(check(empty, { id, height })).toBe('STATE_BEHIND');
  const end = { id, height: height + 1n };
  expect(() => checkEnds(chain.store, new Map([[chain.state.id, end]]), path)).toThrow(`ends at block ${height} of chain`);
});
