import { expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { indexChecker } from '../index-check/check-index.ts';
import { type IndexedChain, indexedWorld, type Prepared } from '../index-sqlite/indexed-world.fixture.ts';
import { openReindex } from '../index-sqlite/reindex.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { inScratch } from '../platform/databases.fixture.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { Export } from './exported-outputs.ts';
import { outside, worldChains } from './two-chains.fixture.ts';

type Sent = { readonly utxo: Utxo; readonly destination: Export['destination']; readonly height: number };

const sentBy = ({ block, diff }: Prepared): Sent[] =>
  diff.applied.flatMap(({ effects: { exported } }) =>
    (exported?.utxos ?? []).map((utxo) => ({ utxo, destination: exported?.to as Export['destination'], height: Number(block.height) })),
  );

/** A world in which one chain sends, and what it has sent so far. */
function sendingWorld(seed: number, path?: string) {
  const world = indexedWorld(openDatabase, seed, path);
  world.begin();
  const sender = world.chains[0] as IndexedChain;
  const sent: Sent[] = [];
  const step = (): void => {
    const prepared = world.step();
    if (prepared.chain === sender) sent.push(...sentBy(prepared));
  };
  return { ...world, sender, sent, step, shelf: sender.index.exported };
}

const named = (exports: readonly Export[]) => exports.map(({ id, destination }) => `${id} ${destination}`).sort();

test('what was exported is open until it is found to be gone, for each of its owners', async () => {
  for (let seed = 31; seed < 34; seed++) {
    const world = sendingWorld(seed);
    const checker = indexChecker(world.specs, 'sqlite');
    const gone = new Set<string>();
    for (let i = 0; i < 100; i++) {
      world.step();
      const left = world.sent.filter(({ utxo, destination }) => destination === outside && !gone.has(utxo.id));
      const owners = new Set<Address>(left.flatMap(({ utxo }) => utxo.output.addresses));
      for (const owner of owners) {
        const told = (await world.shelf.open(owner)).filter(({ destination }) => destination === outside);
        const own = left.filter(({ utxo }) => utxo.output.addresses.includes(owner));
        expect(named(told)).toEqual(named(own.map(({ utxo: { id }, destination }) => ({ id, destination }))));
        for (const one of told) expect(one.height).toBe(own.find(({ utxo }) => utxo.id === one.id)?.height as number);
      }
      const found = left.filter(() => world.sender.source.pick(3) === 0);
      const exports = found.map(({ utxo: { id }, destination }) => ({ id, destination }));
      // Told twice, by way of another chain, or of something nobody sent: nothing more happens.
      await world.shelf.take([...exports, ...exports, ...exports.map(({ id }) => ({ id, destination: worldChains[1] }))]);
      await world.shelf.take([...exports, { id: world.sender.source.feeAsset, destination: outside }]);
      for (const { id } of exports) gone.add(id);
      expect(world.run(checker.next())).toEqual([]);
    }
    expect(gone.size).toBeGreaterThan(3);
    expect(world.run(checker.whole())).toEqual([]);
    world.close();
  }
}, 60_000);

test('a chain that is indexed after all tells who took what had been found gone', async () => {
  const world = sendingWorld(41);
  const receiver = world.chains[1] as IndexedChain;
  const isHere = ({ destination }: Sent) => destination === receiver.spec.id;
  while (!world.sent.some(isHere)) world.step();
  const own = world.sent.filter(isHere).map(({ utxo: { id }, destination }) => ({ id, destination }));
  await world.shelf.take(own);
  const row = () =>
    world.store.db
      .prepare<{ by: Uint8Array | null }>('SELECT taken_by AS "by" FROM moved WHERE id = ?')
      .get(Buffer.from(own[0]?.id as string, 'hex'));
  expect(row()?.by).toBeNull();
  for (let i = 0; row()?.by === null && i < 200; i++) world.step();
  expect(row()?.by).not.toBeNull();
  expect(world.run(indexChecker(world.specs, 'sqlite').whole())).toEqual([]);
  world.close();
});

test('an index made anew keeps what no block tells', () => {
  inScratch((path) => {
    const world = sendingWorld(42, path);
    for (let i = 0; i < 60; i++) world.step();
    const gone = world.sent.filter(({ destination }, i) => destination === outside && i % 2 === 0);
    expect(gone.length).toBeGreaterThan(2);
    // SQLite has done it when it returns.
    void world.shelf.take(gone.map(({ utxo: { id }, destination }) => ({ id, destination })));
    for (let i = 0; i < 10; i++) world.step();
    const reindex = openReindex({ store: world.store, open: openDatabase, path: `${path}-rebuilt`, chains: world.specs });
    for (let i = 0; i < 2; i++) for (const _ of reindex.build());
    const comparing = reindex.compare();
    let turn = comparing.next();
    while (turn.done !== true) turn = comparing.next();
    expect(turn.value).toEqual([]);
    reindex.replace();
    reindex.close();
    expect(world.run(indexChecker(world.specs, 'sqlite').whole())).toEqual([]);
    world.close();
  });
}, 60_000);
