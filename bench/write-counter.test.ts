import { expect, test } from 'bun:test';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { memoryPath } from '../src/ledger/store/database.ts';
import { createWriteCounter } from './write-counter.ts';

function openCounted() {
  const counter = createWriteCounter();
  const db = counter.wrapDatabase(openDatabase(memoryPath, { readonly: false }));
  db.exec('CREATE TABLE c1_tx(seq INTEGER PRIMARY KEY); CREATE TABLE meta(name TEXT PRIMARY KEY, value)');
  return { db, ...counter };
}

test('rows are counted by table, without the prefix of the chain; reads are statements without rows', () => {
  const { db, count } = openCounted();
  const insert = db.prepare('INSERT INTO c1_tx VALUES (?), (?)');
  const counted = count(() => {
    insert.run(1, 2);
    insert.run(3, 4);
    db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run('height', 1);
    db.prepare('UPDATE c1_tx SET seq = seq + 10 WHERE seq > 2').run();
    db.prepare('DELETE FROM c1_tx WHERE seq = 1').run();
    db.prepare('SELECT * FROM c1_tx').all();
    db.prepare('DELETE FROM meta WHERE name = ?').run('unknown');
  });
  expect(counted.statements).toBe(7);
  expect([...counted.rows]).toEqual([
    ['tx', 7],
    ['meta', 1],
  ]);
});

test('only the statements of the counted work count', () => {
  const { db, count } = openCounted();
  const insert = db.prepare('INSERT INTO c1_tx VALUES (?)');
  insert.run(1);
  expect(count(() => insert.run(2)).statements).toBe(1);
  insert.run(3);
  expect(() => count(() => insert.run(3))).toThrow('UNIQUE');
  expect(count(() => {})).toEqual({ statements: 0, rows: new Map() });
});
