import { expect, test } from 'bun:test';
import { createIndexChecker } from '../../../test/index-check/check-index.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type IndexedTestChain, openIndexedChains, type PreparedBlock } from '../index-sqlite/indexed-chains.fixture.ts';
import { openReindex } from '../index-sqlite/reindex.ts';
import type { IndexSpec } from './block-writer.ts';
import { type ExportedOutput, exportedOutputQueries } from './exported-outputs.ts';
import { twoChainIDs, unindexedChainID } from './two-chains.fixture.ts';

type ExportRecord = { readonly utxo: Utxo; readonly destination: ExportedOutput['destination']; readonly height: number };

const exportsIn = ({ block, diff }: PreparedBlock): ExportRecord[] =>
  diff.applied.flatMap(({ effects: { exported } }) =>
    (exported?.utxos ?? []).map((utxo) => ({
      utxo,
      destination: exported?.to as ExportedOutput['destination'],
      height: Number(block.height),
    })),
  );

/** Two indexed chains, and all exports of the first one so far. */
function openExportingChains(seed: number, path?: string) {
  const chains = openIndexedChains(openDatabase, seed, path);
  chains.begin();
  const sender = chains.chains[0] as IndexedTestChain;
  const allExports: ExportRecord[] = [];
  const step = (): void => {
    const prepared = chains.step();
    if (prepared.chain === sender) allExports.push(...exportsIn(prepared));
  };
  return { ...chains, sender, allExports, step, exported: sender.index.exported };
}

const sortedKeys = (exports: readonly ExportedOutput[]) => exports.map(({ id, destination }) => `${id} ${destination}`).sort();

test('an export is unspent for each of its owners until it is marked as spent', async () => {
  for (let seed = 31; seed < 34; seed++) {
    const chains = openExportingChains(seed);
    const checker = createIndexChecker(chains.specs, 'sqlite');
    const spent = new Set<string>();
    const { filterOwners } = exportedOutputQueries(chains.specs[0] as IndexSpec, 'sqlite');
    for (let i = 0; i < 100; i++) {
      chains.step();
      const unspent = chains.allExports.filter(({ utxo, destination }) => destination === unindexedChainID && !spent.has(utxo.id));
      const owners = new Set<Address>(unspent.flatMap(({ utxo }) => utxo.output.addresses));
      for (const owner of owners) {
        const listed = (await chains.exported.listUnspent(owner)).filter(({ destination }) => destination === unindexedChainID);
        const own = unspent.filter(({ utxo }) => utxo.output.addresses.includes(owner));
        expect(sortedKeys(listed)).toEqual(sortedKeys(own.map(({ utxo: { id }, destination }) => ({ id, destination }))));
        for (const one of listed) expect(one.height).toBe(own.find(({ utxo }) => utxo.id === one.id)?.height as number);
      }
      const readOwners = () => chains.run(filterOwners([...owners], [unindexedChainID]));
      const before = readOwners();
      expect(new Set(before.owners)).toEqual(owners);
      expect(readOwners().version).toBe(before.version);
      const found = unspent.filter(() => chains.sender.source.pick(3) === 0);
      const exports = found.map(({ utxo: { id }, destination }) => ({ id, destination }));
      // Marked twice, with another destination, or an output that was never exported: no further effect.
      await chains.exported.markSpent([...exports, ...exports, ...exports.map(({ id }) => ({ id, destination: twoChainIDs[1] }))]);
      await chains.exported.markSpent([...exports, { id: chains.sender.source.feeAsset, destination: unindexedChainID }]);
      for (const { id } of exports) spent.add(id);
      const isOwned = found.some(({ utxo }) => utxo.output.addresses.length > 0);
      expect(readOwners().version !== before.version).toBe(isOwned);
      expect(chains.run(checker.checkNew())).toEqual([]);
    }
    expect(spent.size).toBeGreaterThan(3);
    expect(chains.run(checker.checkAll())).toEqual([]);
    chains.close();
  }
});

test('an import that is indexed later adds its transaction to an export already marked as spent', async () => {
  const chains = openExportingChains(41);
  const receiver = chains.chains[1] as IndexedTestChain;
  const isToReceiver = ({ destination }: ExportRecord) => destination === receiver.spec.id;
  while (!chains.allExports.some(isToReceiver)) chains.step();
  const own = chains.allExports.filter(isToReceiver).map(({ utxo: { id }, destination }) => ({ id, destination }));
  await chains.exported.markSpent(own);
  const row = () =>
    chains.store.db
      .prepare<{ by: Uint8Array | null }>('SELECT taken_by AS "by" FROM moved WHERE id = ?')
      .get(Buffer.from(own[0]?.id as string, 'hex'));
  expect(row()?.by).toBeNull();
  for (let i = 0; row()?.by === null && i < 200; i++) chains.step();
  expect(row()?.by).not.toBeNull();
  expect(chains.run(createIndexChecker(chains.specs, 'sqlite').checkAll())).toEqual([]);
  chains.close();
});

test('a rebuilt index keeps the exports marked as spent', () => {
  withScratchDatabase((path) => {
    const chains = openExportingChains(42, path);
    for (let i = 0; i < 60; i++) chains.step();
    const spent = chains.allExports.filter(({ destination }, i) => destination === unindexedChainID && i % 2 === 0);
    expect(spent.length).toBeGreaterThan(2);
    // On SQLite this has finished when the call returns.
    void chains.exported.markSpent(spent.map(({ utxo: { id }, destination }) => ({ id, destination })));
    for (let i = 0; i < 10; i++) chains.step();
    const reindex = openReindex({ store: chains.store, open: openDatabase, path: `${path}-rebuilt`, chains: chains.specs });
    for (let i = 0; i < 2; i++) for (const _ of reindex.build());
    const comparison = reindex.compare();
    let result = comparison.next();
    while (result.done !== true) result = comparison.next();
    expect(result.value).toEqual([]);
    reindex.replace();
    reindex.close();
    expect(chains.run(createIndexChecker(chains.specs, 'sqlite').checkAll())).toEqual([]);
    chains.close();
  });
});
