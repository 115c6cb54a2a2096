import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { openReads } from '../index-read/open-reads.ts';
import { type IndexedTestChain, openIndexedChains } from './indexed-chains.fixture.ts';
import { openSqliteIndex } from './sqlite-index.ts';
import { createSqliteSql } from './sqlite-sql.ts';

const keyOf = (address: Address): Uint8Array => Buffer.from(address.repeat(2).slice(0, 66), 'hex');

function openChains(seed: number) {
  const chains = openIndexedChains(openDatabase, seed);
  chains.begin();
  const [chain] = chains.chains as [IndexedTestChain];
  const storedKeys = (): Map<Address, Uint8Array> =>
    new Map(
      chains.store.db
        .prepare<{ address: Uint8Array; public_key: Uint8Array }>('SELECT address, public_key FROM signer_key')
        .all()
        .map(({ address, public_key }) => [toHex(address) as Address, public_key]),
    );
  return { chains, chain, storedKeys };
}

test('the public keys of senders are stored when they are known, each once, and can be read', async () => {
  const { chains, chain, storedKeys } = openChains(71);
  const asked = new Map<Address, number>();
  const unknown = new Set<Address>();
  const index = openSqliteIndex(chains.store, chain.spec, {
    publicKeyOf: (address) => {
      asked.set(address, (asked.get(address) ?? 0) + 1);
      if (asked.size % 3 === 0) unknown.add(address);
      return unknown.has(address) ? undefined : keyOf(address);
    },
  });
  for (let i = 0; i < 40; i++) {
    const { block, diff } = chains.prepare(chain);
    chain.state.commitAll([{ block, diff }], index.indexBlocks);
  }
  const known = [...asked.keys()].filter((address) => !unknown.has(address));
  expect(known.length).toBeGreaterThan(1);
  expect([...storedKeys().keys()].sort()).toEqual(known.sort());
  for (const address of known) expect(asked.get(address)).toBe(1);
  const reads = openReads(createSqliteSql(chains.store), chain.spec);
  const read = await reads.publicKeys([...asked.keys()]);
  expect([...read.keys()].sort()).toEqual(known);
  for (const [address, key] of read) expect(toHex(key)).toBe(toHex(keyOf(address)));
  expect(await reads.publicKeys([])).toEqual(new Map());
  chains.close();
});

test('a key of a block that was not stored is stored with the block that is', () => {
  const { chains, chain, storedKeys } = openChains(72);
  const index = openSqliteIndex(chains.store, chain.spec, { publicKeyOf: keyOf });
  let senders = 0;
  for (let i = 0; i < 20; i++) {
    const { block, diff } = chains.prepare(chain);
    const before = storedKeys().size;
    const full = () =>
      chain.state.commitAll([{ block, diff }], (stored) => {
        index.indexBlocks(stored);
        senders = Math.max(senders, storedKeys().size);
        throw new Error('disk full');
      });
    expect(full).toThrow('disk full');
    expect(storedKeys().size).toBe(before);
    chain.state.commitAll([{ block, diff }], index.indexBlocks);
    expect(storedKeys().size).toBe(Math.max(senders, before));
  }
  expect(senders).toBeGreaterThan(1);
  chains.close();
});
