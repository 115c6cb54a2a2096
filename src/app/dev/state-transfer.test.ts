import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextRelease } from '../../../test/next-release.ts';
import { migrateStore } from '../../ledger/index/migrate.ts';
import { type Migration, migrations } from '../../ledger/index/migrations.ts';
import { openIndexedChains } from '../../ledger/index-sqlite/indexed-chains.fixture.ts';
import type { OpenDatabase } from '../../ledger/store/database.ts';
import { openStoredLabels } from '../node/stored-labels.ts';
import { sqliteDrivers } from '../platform/databases.fixture.ts';
import { openFile } from '../platform/offset-file.ts';
import { createStateTransfer } from './state-transfer.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-state-transfer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two indexed chains of a release, with what saves and loads their state. */
function openNode(open: OpenDatabase, seed: number, blocks: number, all: readonly Migration[]) {
  const chains = openIndexedChains(open, seed);
  chains.begin();
  for (let i = 0; i < blocks; i++) chains.commit(chains.prepare());
  const { store } = chains;
  const numbers = chains.chains.map(({ spec }) => spec.number);
  for (const number of numbers) migrateStore(store, number, all);
  const labels = openStoredLabels(store);
  const lines: string[] = [];
  const env = {
    version: 'test',
    random: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
    tempFolder: () => folder,
    openDatabase: open,
    openFile,
    removeFile: (path: string) => rmSync(path, { force: true }),
    timers: { soon: (run: () => void) => setImmediate(run) },
    clock: { monotonic: () => performance.now() },
    log: (line: string) => lines.push(line),
    showProgress: () => {},
  };
  const transfer = createStateTransfer({
    config: { store: 'memory', dataDir: undefined, network: { id: 12345, hrp: 'local' } },
    env,
    store,
    chains: chains.chains.map(({ spec, state }) => ({ spec, lastAccepted: () => state.lastAccepted() })),
    snapshots: { replaceState: async (name: string, work: () => void) => store.revert(work, name) },
    clock: { save: () => '{}', restoreRows: () => {} },
    labels,
    migrations: all,
  } as never);
  return { store, numbers, transfer, labels, lines, close: chains.close };
}

const rowsOf = ({ store, numbers }: ReturnType<typeof openNode>, columns: string) =>
  numbers.map((number) => store.db.prepare(`SELECT ${columns} FROM c${number}_tx ORDER BY seq`).all());

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  describe(name, () => {
    test('an upload that stalls delays no save; the state is loaded when it goes on', async () => {
      const [node, other] = [openNode(open, 92, 3, migrations), openNode(open, 92, 9, migrations)];
      const file = Buffer.concat(await Array.fromAsync(other.transfer.save()));
      const gate = Promise.withResolvers<void>();
      async function* slowly() {
        yield file.subarray(0, 14);
        await gate.promise;
        yield file.subarray(14);
      }
      const loading = node.transfer.load(slowly(), 1e9);
      const before = rowsOf(node, 'id');
      const saved = Buffer.concat(await Array.fromAsync(node.transfer.save()));
      gate.resolve();
      await loading;
      expect(rowsOf(node, 'id')).toEqual(rowsOf(other, 'id'));
      await node.transfer.load(once(saved), 1e9);
      expect(rowsOf(node, 'id')).toEqual(before);
      for (const { close } of [node, other]) close();
    });

    test('a state file of an earlier version of the index is migrated like a data directory', async () => {
      const earlier = openNode(open, 91, 40, migrations);
      const file = Buffer.concat(await Array.fromAsync(earlier.transfer.save()));
      const later = openNode(open, 91, 3, nextRelease);
      expect(rowsOf(later, 'id')).not.toEqual(rowsOf(earlier, 'id'));
      await later.transfer.load(once(file), 1e9);
      expect(rowsOf(later, 'seq, id, bytes')).toEqual(rowsOf(earlier, 'seq, id, bytes'));
      // What the migration computes from the rows of the file.
      expect(rowsOf(later, 'size')).toEqual(rowsOf(earlier, 'length(bytes) AS size'));
      expect(later.lines[0]).toBe('migrating the index of the state file from version 1 to 2; this node keeps its state until then');
      expect(readdirSync(folder)).toEqual([]);

      // The earlier release refuses what the later one saves.
      const saved = Buffer.concat(await Array.fromAsync(later.transfer.save()));
      expect(await earlier.transfer.load(once(saved), 1e9).catch((error) => error.message)).toContain('saved by a later version of Serac');
      // A file that says that it is of an earlier version, and has other tables.
      const header = saved.toString('latin1', 0, saved.indexOf('\n', 14) + 1);
      const forged = Buffer.from(
        saved.toString('latin1').replace(
          header,
          header.replaceAll(/("index[^:]*":)2/g, (_, name: string) => `${name}1`),
        ),
        'latin1',
      );
      const hash = new Bun.CryptoHasher('sha256').update(forged.subarray(0, -32)).digest();
      forged.set(hash, forged.length - 32);
      const before = rowsOf(later, 'seq, id, size');
      expect(await later.transfer.load(once(forged), 1e9).catch((error) => error.message)).toContain('is not defined as in this node');
      expect(rowsOf(later, 'seq, id, size')).toEqual(before);
      expect(readdirSync(folder)).toEqual([]);
      earlier.close();
      later.close();
    });
  });
