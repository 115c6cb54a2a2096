import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeStateFile, encodeStateFile, type StateHeader } from '../src/ledger/snapshot/state-file.ts';
import { type Program, runProgram, startProgram } from './program.ts';

/** State files that somebody made to hang or confuse a node: each is refused, and the node answers as before. */

const folder = mkdtempSync(join(tmpdir(), 'serac-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Unpacked = { readonly header: StateHeader; readonly database: Buffer };

async function unpack(file: Uint8Array): Promise<Unpacked> {
  const written: Buffer[] = [];
  let header: StateHeader | undefined;
  async function* chunks() {
    yield file;
  }
  await decodeStateFile(chunks(), {
    maxBytes: 2 ** 28,
    onHeader: (found) => {
      header = found;
    },
    write: (chunk) => void written.push(Buffer.from(chunk)),
  });
  return { header: header as StateHeader, database: Buffer.concat(written) };
}

async function pack({ header, database }: Unpacked): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of encodeStateFile(header, [database])) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The database after SQL statements; without checks, as somebody who wants to harm would write it. */
function change(database: Buffer, ...sql: string[]): Buffer {
  const path = join(folder, 'changed.sqlite');
  writeFileSync(path, database);
  const db = new Database(path);
  db.run('PRAGMA ignore_check_constraints = ON');
  for (const one of sql) db.run(one);
  db.close();
  return readFileSync(path);
}

const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT';
const pageSize = 4096;

/** The database with the bytes of a page replaced. */
function withPage(database: Buffer, page: number, bytes: (old: Buffer) => void): Buffer {
  const copy = Buffer.from(database);
  bytes(copy.subarray((page - 1) * pageSize, page * pageSize));
  return copy;
}

/** Turns a page into an interior page of a table that refers to children, each under its own key. */
const interior =
  (children: readonly number[], start = 0) =>
  (page: Buffer): void => {
    page.fill(0, start);
    page[start] = 5;
    page.writeUInt16BE(children.length - 1, start + 3);
    page.writeUInt32BE(children.at(-1) as number, start + 8);
    children.slice(0, -1).forEach((child, i) => {
      const at = pageSize - 6 * (i + 1);
      page.writeUInt32BE(child, at);
      page[at + 4] = i + 1;
      page.writeUInt16BE(at, start + 12 + 2 * i);
    });
    page.writeUInt16BE(pageSize - 6 * (children.length - 1), start + 5);
  };

const rootOf = (database: Buffer, table: string): number => {
  const path = join(folder, 'read.sqlite');
  writeFileSync(path, database);
  const db = new Database(path);
  const { rootpage } = db.query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table) as {
    rootpage: number;
  };
  db.close();
  return rootpage;
};

/** `chain` as a page that refers to itself, and as levels of pages that each refer many times to the next one. */
function withLevels(database: Buffer, levels: number, fanOut: number): Buffer {
  const root = rootOf(database, 'chain');
  const first = database.length / pageSize + 1;
  const pages = Array.from({ length: levels }, () => Buffer.alloc(pageSize));
  const childrenOf = (child: number): number[] => Array.from({ length: fanOut }, () => child);
  for (const [i, page] of pages.entries()) interior(childrenOf(first + i + 1))(page);
  pages.push(Buffer.from(database.subarray((root - 1) * pageSize, root * pageSize)));
  const grown = Buffer.concat([withPage(database, root, interior(childrenOf(first))), ...pages]);
  grown.writeUInt32BE(grown.length / pageSize, 28);
  return grown;
}

/** Statements that define the table of chains in another way. */
const defineChains = (definition: string, columns = 'number, id, genesis'): string[] => [
  'ALTER TABLE chain RENAME TO old',
  `CREATE TABLE chain${definition}`,
  `INSERT INTO chain(${columns}) SELECT ${columns} FROM old`,
  'DROP TABLE old',
];
const chainColumns = 'number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, genesis BLOB';
const slow = 'length(hex(zeroblob(100000000)))';

/** The database with the tree of one table used for the other one too. */
function withSharedTree(database: Buffer, table: string, other: string): Buffer {
  const copy = Buffer.from(database);
  // A page may hold an old copy of the row.
  const row = `table${table}${table}`;
  for (let at = copy.indexOf(row); at >= 0; at = copy.indexOf(row, at + 1)) copy[at + row.length] = rootOf(database, other);
  return copy;
}

const attacks: { readonly [name: string]: (database: Buffer) => Buffer } = {
  'a view instead of a table': (db) =>
    change(db, 'DROP TABLE chain', `CREATE VIEW chain AS ${endless} i AS number, x'00' AS id, x'00' AS genesis FROM n`),
  'a view beside the tables': (db) => change(db, `CREATE VIEW c9_block AS ${endless} i FROM n`),
  'a trigger': (db) => change(db, 'CREATE TRIGGER t AFTER INSERT ON chain BEGIN DELETE FROM atomic; END'),
  'an index': (db) => change(db, 'CREATE INDEX i ON chain(genesis)'),
  'a table more': (db) => change(db, 'CREATE TABLE notes(text)'),
  'a condition that takes long': (db) => change(db, ...defineChains(`(${chainColumns}, CHECK (${slow} > number)) STRICT`)),
  'a generated column': (db) => change(db, ...defineChains(`(${chainColumns}, more INTEGER AS (${slow})) STRICT`)),
  'a table without STRICT': (db) => change(db, ...defineChains(`(${chainColumns})`)),
  'a page that refers to itself': (db) => withPage(db, rootOf(db, 'chain'), interior(Array(9).fill(rootOf(db, 'chain')))),
  'a tree with 300^18 rows': (db) => withLevels(db, 18, 300),
  'a tree of a thousand levels': (db) => withLevels(db, 1000, 1),
  'a schema that refers to itself': (db) => withPage(db, 1, interior([1, 1, 1], 100)),
  'another number of pages': (db) => withPage(db, 1, (page) => page.writeUInt32BE(1, 28)),
  'pages of three bytes': (db) => withPage(db, 1, (page) => page.writeUInt16BE(3, 16)),
  'a write-ahead log': (db) => withPage(db, 1, (page) => page.fill(2, 18, 20)),
  'two tables in one tree': (db) => withSharedTree(db, 'chain', 'atomic'),
  'no block': (db) => change(db, 'DELETE FROM c1_block'),
  'no block 0': (db) => change(db, 'DELETE FROM c1_block WHERE height = 0'),
  'another block 0': (db) => change(db, `UPDATE c1_block SET id = x'${'01'.repeat(32)}' WHERE height = 0`),
  'a block too high': (db) => change(db, 'UPDATE c1_block SET height = 9007199254740993 WHERE height = 3'),
  'heights below zero': (db) => change(db, 'UPDATE c1_block SET height = -1 WHERE height = 3'),
  'a last block with a short ID': (db) => change(db, `UPDATE c1_block SET id = x'00' WHERE height = 3`),
  'an index of other blocks': (db) => change(db, 'UPDATE progress SET height = 1'),
  'text that is not a database': () => Buffer.from('hello'.repeat(2000)),
  nothing: () => Buffer.alloc(0),
  'half a database': (db) => db.subarray(0, db.length >> 1),
};

describe.each([
  { name: 'in memory', flags: [] },
  { name: 'with a data directory', flags: [`--data-dir=${join(folder, 'data')}`, '--workers=0'] },
])('$name', ({ flags }) => {
  let node: Program;
  let good: Unpacked;
  beforeAll(async () => {
    node = await startProgram(...flags);
    await node.client.call('/ext/dev', 'dev.mine', { blocks: 3 });
    await node.client.call('/ext/dev', 'dev.atomicDeposit', { from: 'P', to: 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465', amount: 5 });
    good = await unpack(new Uint8Array(await (await fetch(`${node.url}/ext/dev/state`)).arrayBuffer()));
  });
  afterAll(async () => expect(await node.stop()).toBe(0));

  const put = async (file: Uint8Array) => {
    const response = await fetch(`${node.url}/ext/dev/state`, {
      method: 'PUT',
      body: file as BodyInit,
      signal: AbortSignal.timeout(30_000),
    });
    return { status: response.status, text: await response.text() };
  };
  const height = async () => (await node.client.call('/ext/bc/X', 'avm.getHeight', {})).result;

  test.each(Object.keys(attacks))('%s is refused', async (name) => {
    const file = await pack({ ...good, database: attacks[name]!(good.database) });
    const { status, text } = await put(file);
    expect([status, text]).toEqual([expect.any(Number), expect.stringMatching(/^the state file .*; nothing was changed\n$/s)]);
    expect([400, 409]).toContain(status);
    expect(await height()).toEqual({ height: '3' } as never);
  });

  test.each([{ offset: 'soon' }, { frozenAt: '-5' }, { nextBlockTime: '999999999999' }, 'now', 5])(
    'the clock %j is refused',
    async (clock) => {
      const { status, text } = await put(await pack({ ...good, header: { ...good.header, clock } }));
      expect([status, text]).toEqual([400, expect.stringContaining('its clock is not valid')]);
    },
  );

  test('rows that break a rule of the tables are refused', async () => {
    const { status, text } = await put(await pack({ ...good, database: change(good.database, 'UPDATE atomic SET reader = 99') }));
    expect([status, text]).toEqual([400, expect.stringContaining('NOT NULL constraint failed')]);
  });

  test('a good file, and one whose tables are written in another way, are loaded', async () => {
    for (const database of [
      good.database,
      change(
        good.database,
        ...defineChains(`(
${chainColumns.replaceAll(' ', '  ')}) STRICT`),
      ),
    ])
      expect(await put(await pack({ ...good, database }))).toMatchObject({ status: 200 });
    expect(await height()).toEqual({ height: '3' } as never);
  });

  test('--load-state refuses it at start', async () => {
    const file = join(folder, 'hostile.state');
    writeFileSync(file, await pack({ ...good, database: attacks['a view instead of a table']!(good.database) }));
    const { code, err } = await runProgram('--http-port=0', `--load-state=${file}`);
    expect([code === 1 || code === 4, err]).toEqual([true, expect.stringContaining('the state file')]);
  });
});
