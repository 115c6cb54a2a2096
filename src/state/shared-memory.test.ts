import { describe, expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { sha256Hex } from '../bytes/hash.ts';
import { type Id, zeroId } from '../bytes/id.ts';
import { drivers, inScratch } from '../platform/databases.fixture.ts';
import { makeUtxo } from '../tx/utxo.ts';
import { checkChain } from './check.ts';
import { codeOf, grow, openChain } from './grow.fixture.ts';
import { chainID, peerID, randomChain } from './random-chain.fixture.ts';
import { storedID } from './stored-utxo.ts';

const address = 'ab'.repeat(20) as Address;
const owners = { locktime: 0n, threshold: 1, addresses: [address] };
const make = (n: number) =>
  makeUtxo(sha256Hex(Buffer.of(n)) as Id, n, zeroId, { kind: 'secp256k1fx.TransferOutput', amount: 5n, ...owners });
const [a, b, c] = [make(1), make(2), make(3)] as const;
const fromStart = { addresses: [address], start: { address, utxoID: zeroId }, limit: 10 };

for (const { name, open, onDisk } of drivers)
  describe(name, () => {
    const within = (work: (chain: ReturnType<typeof openChain>) => void) => {
      const run = (path?: string) => {
        const chain = openChain(open, path);
        grow(chain, randomChain(1), 0);
        work(chain);
        expect(checkChain(chain.store, chainID).problems).toEqual([]);
        chain.close();
      };
      return onDisk ? inScratch(run) : run();
    };
    const listed = ({ memory }: ReturnType<typeof openChain>) => memory.page(chainID, peerID, fromStart, true).utxos.map(storedID);

    test('what a chain puts another one finds, newest first, until it is removed', () =>
      within((chain) => {
        const { memory, store } = chain;
        store.write(() => memory.put(chainID, peerID, [a, b]));
        store.write(() => memory.put(chainID, peerID, [c]));
        expect(memory.get(chainID, peerID, a.id)).toEqual(a);
        expect(memory.get(peerID, chainID, a.id)).toBeUndefined();
        expect(memory.get(chainID, zeroId, a.id)).toBeUndefined();
        expect(listed(chain)).toEqual([c.id, b.id, a.id]);
        expect(memory.wasRemoved(chainID, b.id)).toBe(false);
        store.write(() => memory.remove(chainID, peerID, [b.id]));
        expect(memory.get(chainID, peerID, b.id)).toBeUndefined();
        expect(memory.wasRemoved(chainID, b.id)).toBe(true);
        expect(listed(chain)).toEqual([c.id, a.id]);
      }));

    test('removed before it was put: both cancel out', () =>
      within((chain) => {
        const { memory, store } = chain;
        store.write(() => memory.remove(chainID, peerID, [a.id]));
        expect(memory.get(chainID, peerID, a.id)).toBeUndefined();
        expect(memory.wasRemoved(chainID, a.id)).toBe(true);
        const { hash } = checkChain(store, chainID);
        store.write(() => memory.put(chainID, peerID, [a]));
        expect(memory.get(chainID, peerID, a.id)).toBeUndefined();
        expect(listed(chain)).toEqual([]);
        expect(checkChain(store, chainID).hash).not.toBe(hash);
        store.write(() => memory.put(chainID, peerID, [a]));
        expect(memory.get(chainID, peerID, a.id)).toEqual(a);
      }));

    test('put twice and removed twice are refused whole; put again after it was taken is fine', () =>
      within((chain) => {
        const { memory, store } = chain;
        store.write(() => memory.put(chainID, peerID, [a]));
        expect(codeOf(() => store.write(() => memory.put(chainID, peerID, [b, a])))).toBe('STATE_DUPLICATE_PUT');
        expect(memory.get(chainID, peerID, b.id)).toBeUndefined();
        store.write(() => memory.remove(chainID, peerID, [a.id]));
        store.write(() => memory.put(chainID, peerID, [a]));
        expect(listed(chain)).toEqual([a.id]);
        store.write(() => memory.remove(chainID, peerID, [a.id]));
        store.write(() => memory.remove(chainID, peerID, [a.id]));
        expect(codeOf(() => store.write(() => memory.remove(chainID, peerID, [a.id])))).toBe('STATE_DUPLICATE_REMOVE');
        store.write(() => memory.put(chainID, peerID, [a]));
        expect(memory.get(chainID, peerID, a.id)).toBeUndefined();
      }));
  });
