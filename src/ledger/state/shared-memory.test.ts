import { describe, expect, test } from 'bun:test';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { checkChain } from './check.ts';
import { appendBlocks, codeOf, openChain } from './open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from './random-chain.fixture.ts';
import { storedID } from './stored-utxo.ts';

const address = 'ab'.repeat(20) as Address;
const owners = { locktime: 0n, threshold: 1, addresses: [address] };
const make = (n: number) =>
  makeUtxo(sha256Hex(Buffer.of(n)) as Id, n, zeroId, { kind: 'secp256k1fx.TransferOutput', amount: 5n, ...owners });
const [a, b, c] = [make(1), make(2), make(3)] as const;
const fromStart = { addresses: [address], start: { address, utxoID: zeroId }, limit: 10 };

for (const { name, open, onDisk } of sqliteDrivers)
  describe(name, () => {
    const within = (work: (chain: ReturnType<typeof openChain>) => void) => {
      const run = (path?: string) => {
        const chain = openChain(open, path);
        appendBlocks(chain, randomChain(1), 0);
        work(chain);
        expect(checkChain(chain.store, chainID).problems).toEqual([]);
        chain.close();
      };
      return onDisk ? withScratchDatabase(run) : run();
    };
    const listed = ({ sharedMemory }: ReturnType<typeof openChain>) =>
      sharedMemory.page(chainID, otherChainID, fromStart, true).utxos.map(storedID);

    test('outputs that one chain puts are listed for the other chain, newest first, until they are removed', () =>
      within((chain) => {
        const { sharedMemory, store } = chain;
        store.write(() => sharedMemory.put(chainID, otherChainID, [a, b]));
        store.write(() => sharedMemory.put(chainID, otherChainID, [c]));
        expect(sharedMemory.get(chainID, otherChainID, a.id)).toEqual(a);
        expect(sharedMemory.get(otherChainID, chainID, a.id)).toBeUndefined();
        expect(sharedMemory.get(chainID, zeroId, a.id)).toBeUndefined();
        expect(listed(chain)).toEqual([c.id, b.id, a.id]);
        expect(sharedMemory.wasRemoved(chainID, b.id)).toBe(false);
        store.write(() => sharedMemory.remove(chainID, otherChainID, [b.id]));
        expect(sharedMemory.get(chainID, otherChainID, b.id)).toBeUndefined();
        expect(sharedMemory.wasRemoved(chainID, b.id)).toBe(true);
        expect(listed(chain)).toEqual([c.id, a.id]);
      }));

    test('removing an output before it is put cancels the put', () =>
      within((chain) => {
        const { sharedMemory, store } = chain;
        store.write(() => sharedMemory.remove(chainID, otherChainID, [a.id]));
        expect(sharedMemory.get(chainID, otherChainID, a.id)).toBeUndefined();
        expect(sharedMemory.wasRemoved(chainID, a.id)).toBe(true);
        const { hash } = checkChain(store, chainID);
        store.write(() => sharedMemory.put(chainID, otherChainID, [a]));
        expect(sharedMemory.get(chainID, otherChainID, a.id)).toBeUndefined();
        expect(listed(chain)).toEqual([]);
        expect(checkChain(store, chainID).hash).not.toBe(hash);
        store.write(() => sharedMemory.put(chainID, otherChainID, [a]));
        expect(sharedMemory.get(chainID, otherChainID, a.id)).toEqual(a);
      }));

    test('putting or removing an output twice is rejected; putting it again after its removal is accepted', () =>
      within((chain) => {
        const { sharedMemory, store } = chain;
        store.write(() => sharedMemory.put(chainID, otherChainID, [a]));
        expect(codeOf(() => store.write(() => sharedMemory.put(chainID, otherChainID, [b, a])))).toBe('STATE_DUPLICATE_PUT');
        expect(sharedMemory.get(chainID, otherChainID, b.id)).toBeUndefined();
        store.write(() => sharedMemory.remove(chainID, otherChainID, [a.id]));
        store.write(() => sharedMemory.put(chainID, otherChainID, [a]));
        expect(listed(chain)).toEqual([a.id]);
        store.write(() => sharedMemory.remove(chainID, otherChainID, [a.id]));
        store.write(() => sharedMemory.remove(chainID, otherChainID, [a.id]));
        expect(codeOf(() => store.write(() => sharedMemory.remove(chainID, otherChainID, [a.id])))).toBe('STATE_DUPLICATE_REMOVE');
        store.write(() => sharedMemory.put(chainID, otherChainID, [a]));
        expect(sharedMemory.get(chainID, otherChainID, a.id)).toBeUndefined();
      }));
  });
