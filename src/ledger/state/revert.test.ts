import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBalanceJsonReader } from '../../api/rpc/balance.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import type { Database } from '../store/database.ts';
import { copyTables } from './copy-tables.fixture.ts';
import { appendBlocks, commitNext, openChain } from './open-chain.fixture.ts';
import { randomChain } from './random-chain.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-revert-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens the file as a reader process does. */
const openReader = (path: string) => openChain(openDatabase, path, { readonly: true });

describe('a chain that is reverted to height 6 and gets another block 7', () => {
  const path = join(folder, 'chain.sqlite');
  const writer = openChain(openDatabase, path);
  const [before, after] = [randomChain(5), randomChain(5)];
  appendBlocks(writer, before, 6);
  const restore = copyTables(writer.store);
  const reader = openReader(path);
  afterAll(() => {
    reader.close();
    writer.close();
  });
  const states = [writer.state, reader.state];
  const unexpected = (): never => {
    throw new RangeError('no address of this chain has so many outputs');
  };
  const balances = states.map((state) => createBalanceJsonReader(state, unexpected));
  const assets = before.genesisTxs.map(({ id }) => id);

  const old = before.next(writer.state, 40);
  commitNext(writer, old);
  const created = old.block.txs.find(({ unsigned }) => unsigned.kind === 'CreateAssetTx');
  const readAll = () =>
    balances.map((balanceOf) =>
      before.addresses.flatMap((address) =>
        assets.map((assetID) => balanceOf({ address, assetID, includePartial: true, now: 0n }).toString()),
      ),
    );

  test('before the revert all reads include block 7', () => {
    readAll();
    for (const state of states) {
      expect(state.height()).toBe(7n);
      for (const { id } of old.block.txs) expect(state.tx(id)?.id).toBe(id);
      expect(state.asset(created!.id)).toBeObject();
    }
  });

  test('after the revert no read includes block 7, in the writer or in a reader', () => {
    writer.store.revert(restore);
    for (const state of states) {
      expect(state.epoch()).toBe(1);
      expect(state.height()).toBe(6n);
      expect(state.blockAt(7n)).toBeUndefined();
      for (const { id } of old.block.txs) expect(state.tx(id)).toBeUndefined();
      expect(state.asset(created!.id)).toBeUndefined();
    }
  });

  test('reads return the new block 7, not cached data of the first one', () => {
    for (let height = 1; height <= 6; height++) after.next(writer.state);
    const next = after.next(writer.state, 3);
    commitNext(writer, next);
    for (const state of states) expect(Buffer.from(state.blockAt(7n) as Uint8Array)).toEqual(Buffer.from(next.block.bytes));
    const fresh = createBalanceJsonReader(writer.state, unexpected);
    const expected = before.addresses.flatMap((address) =>
      assets.map((assetID) => fresh({ address, assetID, includePartial: true, now: 0n }).toString()),
    );
    for (const texts of readAll()) expect(texts).toEqual(expected);
  });

  test('the epoch survives a restart and increases with every revert, although the restored rows contain an older epoch', () => {
    writer.store.revert(restore);
    expect(writer.state.epoch()).toBe(2);
    const again: { readonly db: Database } = openReader(path).store;
    expect(again.db.prepare<{ value: number }>(`SELECT value FROM meta WHERE name = 'epoch'`).get()?.value).toBe(2);
    again.db.close();
  });

  test('a revert that fails changes nothing', () => {
    expect(() =>
      writer.store.revert(() => {
        restore();
        throw new RangeError('disk failed');
      }),
    ).toThrow('disk failed');
    for (const state of states) expect(state.epoch()).toBe(2);
  });
});
