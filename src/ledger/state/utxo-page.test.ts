import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import { type Address, zeroAddress } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { appendBlocks, commitNext, openChain } from './open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from './random-chain.fixture.ts';
import { encodeStoredUtxo, storedID } from './stored-utxo.ts';
import { type OwnedUtxoCursor, type OwnedUtxoPage, type OwnedUtxoQuery, type OwnedUtxos, pagingRules, readUtxoPage } from './utxo-page.ts';

const start: OwnedUtxoCursor = { address: zeroAddress, utxoID: zeroId };

/** The outputs of an address in the order of AvalancheGo's linked list: newest first. */
type ListOf = (address: Address) => readonly Id[];

/** AvalancheGo's loop over the lists of a chain's own outputs. */
function avalancheGoOwnPage(list: ListOf, { addresses, start: from, limit }: OwnedUtxoQuery) {
  const found: Id[] = [];
  let end = from;
  for (const address of addresses) {
    if (address < end.address) continue;
    const cursor = address === end.address ? end.utxoID : zeroId;
    const all = list(address);
    const scanned = all.slice(all.indexOf(cursor) + 1).slice(0, limit);
    end = { address, utxoID: end.utxoID };
    for (const id of scanned) {
      end = { address, utxoID: id };
      if (found.includes(id)) continue;
      found.push(id);
      if (found.length >= limit) return { found, end };
    }
  }
  return { found, end };
}

/** AvalancheGo's loop over the lists of outputs in shared memory. */
function avalancheGoAtomicPage(list: ListOf, { addresses, start: from, limit }: OwnedUtxoQuery) {
  const found: Id[] = [];
  let end = from;
  for (const address of addresses) {
    if (address < from.address) continue;
    const cursor = address === from.address ? from.utxoID : zeroId;
    const all = list(address);
    end = { address, utxoID: cursor };
    for (const id of all.slice(Math.max(0, all.indexOf(cursor)))) {
      if (found.length >= limit) break;
      end = { address, utxoID: id };
      if (!found.includes(id)) found.push(id);
    }
    if (found.length >= limit) break;
  }
  return { found, end };
}

/** Every output once, under the smallest requested address that owns it. */
function expectedOrder(list: ListOf, addresses: readonly Address[]): Id[] {
  return [...new Set(addresses.flatMap(list))];
}

/** A chain with many multi-owner outputs, and the expected lists of outputs by address. */
function sample(seed: number, blocks: number) {
  const chain = openChain(sqliteDrivers[0].open);
  const source = randomChain(seed, 4);
  appendBlocks(chain, source, blocks);
  const crowd = Array.from({ length: 10 }, (_, i) => sha256Hex(Buffer.from(`crowd ${i}`)).slice(0, 40) as Address);
  // The model has them in the order in which they were created.
  const newestFirst = () => [...source.model.unspent.values()].reverse();
  const owned = (utxo: Utxo, address: Address) => utxo.output.addresses.includes(address);
  const own: ListOf = (address) =>
    newestFirst()
      .filter(({ utxo }) => owned(utxo, address))
      .map(({ utxo }) => utxo.id);
  const atomic: ListOf = (address) =>
    source.model.inbound
      .filter((utxo) => owned(utxo, address))
      .map(({ id }) => id)
      .reverse();
  return { chain, source, everyone: [...source.addresses, ...crowd].sort(), lists: { own, atomic } };
}

const sources = { own: chainID, atomic: otherChainID } as const;
const shown = ({ utxos, end }: OwnedUtxoPage) => ({ found: utxos.map(storedID), end });
const limits = fc.integer({ min: 1, max: 12 });

for (const kind of ['own', 'atomic'] as const) {
  describe(kind, () => {
    test('strict: every page equals that of AvalancheGo, for any addresses, cursor and limit', () => {
      fc.assert(
        fc.property(fc.integer(), fc.integer({ min: 0, max: 12 }), fc.infiniteStream(fc.nat()), limits, (seed, blocks, numbers, limit) => {
          const { chain, source, everyone, lists } = sample(seed, blocks);
          const number = (below: number) => (numbers.next().value as number) % below;
          const oracle = kind === 'own' ? avalancheGoOwnPage : avalancheGoAtomicPage;
          const known = [...source.model.unspent.keys(), ...source.model.spent.keys(), ...source.model.inbound.map(({ id }) => id), zeroId];
          for (let i = 0; i < 20; i++) {
            const addresses = everyone.filter(() => number(3) > 0);
            const from =
              number(3) === 0
                ? start
                : { address: everyone[number(everyone.length)] as Address, utxoID: known[number(known.length)] as Id };
            const query = { addresses, start: from, limit };
            expect(shown(chain.state.utxos(sources[kind], query, true))).toEqual(oracle(lists[kind], query));
          }
          chain.close();
        }),
        { numRuns: 60 },
      );
    });

    test('lenient: reading all pages returns every output once, in order, and the first page equals the strict one', () => {
      fc.assert(
        fc.property(fc.integer(), fc.integer({ min: 0, max: 12 }), limits, (seed, blocks, limit) => {
          const { chain, everyone, lists } = sample(seed, blocks);
          for (const addresses of [everyone, everyone.slice(3), everyone.slice(0, 1), everyone.filter((_, i) => i % 2 === 0)]) {
            const listed: Id[] = [];
            let from = start;
            while (listed.length < 1000) {
              const page = chain.state.utxos(sources[kind], { addresses, start: from, limit }, false);
              listed.push(...page.utxos.map(storedID));
              if (page.utxos.length === 0) break;
              expect(page.utxos.length).toBeLessThanOrEqual(limit);
              from = page.end;
            }
            expect(listed).toEqual(expectedOrder(lists[kind], addresses));
            const query = { addresses, start, limit: 1024 };
            expect(shown(chain.state.utxos(sources[kind], query, false))).toEqual(shown(chain.state.utxos(sources[kind], query, true)));
          }
          chain.close();
        }),
        { numRuns: 40 },
      );
    });

    test('lenient: a page continues at its cursor when the output of the cursor was spent; strict: it starts again', () => {
      fc.assert(
        fc.property(fc.integer(), fc.integer({ min: 1, max: 6 }), (seed, limit) => {
          const { chain, source, everyone, lists } = sample(seed, 8);
          for (const address of everyone) {
            const before = [...lists[kind](address)];
            const query = { addresses: [address], start, limit };
            const { end } = chain.state.utxos(sources[kind], query, false);
            // Append blocks until the output of the cursor is spent, if there is one.
            for (let i = 0; i < 6 && lists[kind](address).includes(end.utxoID); i++) commitNext(chain, source.next(chain.state, 3));
            const left = lists[kind](address);
            const older = before.slice(before.indexOf(end.utxoID) + 1).filter((id) => left.includes(id));
            const next = shown(chain.state.utxos(sources[kind], { ...query, start: end }, false)).found;
            if (end.utxoID !== zeroId) expect(next).toEqual(older.slice(0, limit));
            const again = shown(chain.state.utxos(sources[kind], { ...query, start: end }, true)).found;
            if (!left.includes(end.utxoID)) expect(again).toEqual(left.slice(0, limit));
          }
          chain.close();
        }),
        { numRuns: 10 },
      );
    });
  });
}

test('the page after a full page finds its cursor without a look-up by ID, until a revert', () => {
  let lookUps = 0;
  const chain = openChain((...args) => {
    const db = sqliteDrivers[0].open(...args);
    const prepare = <Row>(sql: string) => {
      const statement = db.prepare<Row>(sql);
      if (!sql.includes('FROM c1_output_id WHERE number <')) return statement;
      const all: typeof statement.all = (...values) => {
        lookUps++;
        return statement.all(...values);
      };
      return { ...statement, all };
    };
    return { ...db, prepare };
  });
  const source = randomChain(5, 4);
  appendBlocks(chain, source, 12);
  const owner = source.addresses.find(
    (address) => chain.state.utxos(chainID, { addresses: [address], start, limit: 9 }, false).utxos.length > 6,
  );
  const addresses = [owner as Address];
  const all = shown(chain.state.utxos(chainID, { addresses, start, limit: 1024 }, false)).found;
  const { end } = chain.state.utxos(chainID, { addresses, start, limit: 3 }, false);
  const second = () => {
    const before = lookUps;
    expect(shown(chain.state.utxos(chainID, { addresses, start: end, limit: 2 }, false)).found).toEqual(all.slice(3, 5));
    return lookUps - before;
  };
  expect([second(), second()]).toEqual([0, 0]);
  chain.store.revert(() => {});
  expect(second()).toBe(1);
  chain.close();
});

test('the page of a source chain without exports is empty', () => {
  const { chain, everyone } = sample(1, 2);
  const page = chain.state.utxos(zeroId, { addresses: everyone, start, limit: 5 }, false);
  expect(page).toEqual({ utxos: [], end: { address: everyone[everyone.length - 1] as Address, utxoID: zeroId } });
});

test('a page that would skip too many rows is returned early, and all pages together still have every output once', () => {
  const addresses = Array.from({ length: 200 }, (_, i) => i.toString(16).padStart(40, '0') as Address);
  const owners = { locktime: 0n, threshold: 1, addresses };
  const utxos = Array.from({ length: 1000 }, (_, i) =>
    encodeStoredUtxo(makeUtxo(zeroId, i, zeroId, { kind: 'secp256k1fx.TransferOutput', amount: 1n, ...owners })),
  );
  const numbers = new Map(utxos.map((bytes, seq) => [storedID(bytes), seq]));
  let rowsRead = 0;
  let read = 0;
  const source: OwnedUtxos = {
    rows: (_, below, limit) => {
      const top = Math.min(below, utxos.length);
      const rows = Array.from({ length: Math.min(limit, top) }, (__, i) => ({ seq: top - 1 - i, bytes: null }));
      rowsRead += rows.length;
      return rows;
    },
    bytesOf: ({ seq }) => {
      read++;
      return utxos[seq] as Uint8Array;
    },
    findPosition: (id) => {
      const seq = numbers.get(id);
      return seq === undefined ? undefined : { seq, bytes: utxos[seq] as Uint8Array, isSpent: false };
    },
  };
  const listed: Id[] = [];
  let from = start;
  let pages = 0;
  for (; from.address < (addresses[199] as Address); pages++) {
    [rowsRead, read] = [0, 0];
    const page = readUtxoPage(source, { addresses, start: from, limit: 1024 }, pagingRules.lenient.own);
    listed.push(...page.utxos.map(storedID));
    expect(rowsRead).toBeLessThan(70_000);
    // The bytes of each output are read a few times at most, however many rows it has.
    expect(read).toBeLessThan(4_000);
    from = page.end;
  }
  expect(pages).toBe(4);
  expect(listed).toEqual(utxos.map(storedID).reverse());
});
