import { expect, test } from 'bun:test';
import { tablesOf } from '../state/schema.ts';
import type { TxEntry } from './index-reads.ts';
import { openSqliteReads } from './reads-databases.fixture.ts';

/** Entries with their bytes as hex: bytes from the database and bytes that are put together compare as equal. */
const plain = (entries: readonly TxEntry[]): unknown =>
  JSON.parse(
    JSON.stringify(entries, (name, value) => {
      // The getter of a decoded output caches it, and a layout follows from the bytes.
      if (name === 'decoded' || name === 'layout') return undefined;
      if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
      return typeof value === 'bigint' ? `${value}` : value;
    }),
  );

async function openTransfers() {
  const indexed = await openSqliteReads(77);
  const { chains, reads } = indexed;
  for (let i = 0; i < 80; i++) chains.step();
  const pin = await reads.tip();
  const everything = { subjects: undefined, kinds: undefined, times: { from: undefined, to: undefined }, after: undefined } as const;
  const seqs = await reads.txSeqs({ ...everything, pin, order: 'desc', limit: 1000 });
  const { db } = chains.store;
  const table = tablesOf(chains.number).tx;
  const stored = new Set(
    db
      .prepare<{ seq: number }>(`SELECT seq FROM ${table} WHERE outputs IS NOT NULL`)
      .all()
      .map(({ seq }) => seq),
  );
  const readAll = () => reads.txs(seqs, pin);
  return { ...indexed, db, table, stored, readAll };
}

test('transfers with stored outputs are read as those whose outputs are looked up, in any mixture', async () => {
  const { db, table, stored, readAll, close } = await openTransfers();
  const first = await readAll();
  expect(first.filter(({ tx }) => stored.has(tx.seq)).length).toBeGreaterThan(10);
  expect(first.some(({ tx, emitted }) => stored.has(tx.seq) && emitted.some(({ spent }) => spent !== undefined))).toBe(true);
  db.exec(`UPDATE ${table} SET outputs = NULL WHERE seq % 3 = 0`);
  expect(plain(await readAll())).toEqual(plain(first));
  db.exec(`UPDATE ${table} SET outputs = NULL`);
  expect(plain(await readAll())).toEqual(plain(first));
  await close();
});

test('a transfer read alone, as of any block, is the same as on a page', async () => {
  const { reads, stored, close } = await openTransfers();
  const { height } = await reads.tip();
  const seen = { spent: 0, unspent: 0 };
  for (const at of [height, Math.floor(height / 2)]) {
    const pin = (await reads.pinAtHeight(at)) as NonNullable<Awaited<ReturnType<typeof reads.pinAtHeight>>>;
    const seqs = [...stored].filter((seq) => seq <= pin.lastTx);
    const onPage = await reads.txs(seqs, pin);
    const alone: TxEntry[] = [];
    for (const seq of seqs) alone.push(...(await reads.txs([seq], pin)));
    expect(plain(alone)).toEqual(plain(onPage));
    for (const { emitted } of alone)
      for (const { spent } of emitted) {
        seen[spent === undefined ? 'unspent' : 'spent']++;
        if (spent?.layout !== undefined) expect(spent.seq).toBeLessThanOrEqual(pin.lastTx);
      }
  }
  expect(Math.min(seen.spent, seen.unspent)).toBeGreaterThan(10);
  await close();
});

test('a damaged row of stored outputs is an error', async () => {
  const { db, table, readAll, close } = await openTransfers();
  const row = db
    .prepare<{ tx: number; outputs: Uint8Array }>(`SELECT seq AS tx, outputs FROM ${table} ORDER BY length(outputs) DESC LIMIT 1`)
    .get();
  const { tx, outputs } = row as NonNullable<typeof row>;
  const change = db.prepare(`UPDATE ${table} SET outputs = ? WHERE seq = ?`);
  const codeOf = () =>
    readAll().then(
      () => undefined,
      (error) => error.fault?.code,
    );
  for (let at = 0; at < outputs.length; at++) {
    change.run(
      outputs.map((byte, i) => (i === at ? byte ^ 1 : byte)),
      tx,
    );
    expect(await codeOf()).toBe('STATE_DAMAGED');
  }
  // No bytes at all are not damage: they mean that the outputs are unknown.
  for (const damaged of [outputs.slice(0, -1), outputs.slice(1)]) {
    change.run(damaged, tx);
    expect(await codeOf()).toBe('STATE_DAMAGED');
  }
  change.run(outputs, tx);
  expect(await codeOf()).toBeUndefined();
  await close();
});
