import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { openFile } from '../../app/platform/offset-file.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type ChainEnd, checkChainEnds, deferChainEnds, openChainEnds, readChainEnds } from './chain-ends.ts';
import { appendBlocks, codeOf, type OpenChain, openChain } from './open-chain.fixture.ts';
import { randomChain } from './random-chain.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-ends-'));
const path = join(folder, 'chain-ends');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [one, other] = ['11'.repeat(32) as Id, '22'.repeat(32) as Id];
const openEnds = () => openChainEnds(openFile(path, 'write'));
const readEnd = (chainID: Id) => readChainEnds(openFile(path, 'write')).get(chainID);

test('the last record of each chain is read after a restart; a damaged record is ignored', () => {
  const ends = openEnds();
  for (let height = 0n; height < 12n; height++) ends.record(1, one, { id: other, height });
  ends.record(4, other, { id: one, height: 2n ** 60n });
  ends.close();
  expect([one, other].map(readEnd)).toEqual([
    { id: other, height: 11n },
    { id: one, height: 2n ** 60n },
  ]);
  const bytes = readFileSync(path);
  for (const at of [3, 70, 84, 90, 160]) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 1;
    writeFileSync(path, damaged);
    expect([one, other].map(readEnd)).toEqual([undefined, { id: one, height: 2n ** 60n }]);
  }
});

test('deferred records that a failing disk does not take are written by the next flush; sync says that they are not written', () => {
  rmSync(path, { force: true });
  const opened = openEnds();
  let isFailing = true;
  const ends = deferChainEnds({
    ...opened,
    record: (...record) => {
      if (isFailing) throw new Error('disk I/O error');
      opened.record(...record);
    },
  });
  ends.record(1, one, { id: other, height: 1n });
  ends.flush();
  expect(ends.sync).toThrow('disk I/O error');
  isFailing = false;
  ends.flush();
  expect(readEnd(one)).toEqual({ id: other, height: 1n });
  ends.close();
});

test('deferred records are written by flush: the last one of each chain', () => {
  rmSync(path, { force: true });
  const ends = deferChainEnds(openEnds());
  ends.record(1, one, { id: other, height: 1n });
  ends.record(1, one, { id: other, height: 2n });
  ends.record(2, other, { id: one, height: 7n });
  expect([one, other].map(readEnd)).toEqual([undefined, undefined]);
  ends.flush();
  ends.record(1, one, { id: other, height: 3n });
  expect([one, other].map(readEnd)).toEqual([
    { id: other, height: 2n },
    { id: one, height: 7n },
  ]);
  ends.sync();
  expect(readEnd(one)).toEqual({ id: other, height: 3n });
  ends.close();
});

test('a chain that ends before its recorded block, or has another block at that height, is rejected', () => {
  const empty = openChain(sqliteDrivers[0].open);
  const chain = openChain(sqliteDrivers[0].open);
  appendBlocks(chain, randomChain(7), 5);
  const { id, height } = chain.state.lastAccepted();
  const check = ({ store }: OpenChain, end: ChainEnd | undefined, chainID = chain.state.id) =>
    codeOf(() => checkChainEnds(store, new Map(end && [[chainID, end]]), path));
  expect(check(chain, undefined)).toBe(undefined);
  expect(check(chain, { id, height })).toBe(undefined);
  expect(check(chain, { id: one, height })).toBe('STATE_BEHIND');
  expect(check(chain, { id, height: height + 1n })).toBe('STATE_BEHIND');
  expect(check(chain, { id, height }, one)).toBe('STATE_BEHIND');
  expect(check(empty, { id, height })).toBe('STATE_BEHIND');
  const end = { id, height: height + 1n };
  expect(() => checkChainEnds(chain.store, new Map([[chain.state.id, end]]), path)).toThrow(`ends at block ${height} of chain`);
});
