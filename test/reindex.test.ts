import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { type Program, programCommand, runProgram, startProgram } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, ownedBy, signDraft, transfer } from './wallet-kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-reindex-'));
const database = join(folder, 'db', 'serac.sqlite');
const wallet = createWallet('reindex', { keys: [ewoq] });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let spendable: Utxo = ewoqGenesisUtxo;
async function pay(node: Program, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const to = transfer(wallet.chainParams.feeAsset, BigInt(1000 + i), ownedBy([wallet.keys[1 + (i % 3)]!]));
    const tx = signDraft(baseTx(wallet, { utxos: [spendable] }, [to]));
    const { error } = await node.client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    expect(error).toBeUndefined();
    spendable = effectsOf(tx).created.find(({ output }) => output.addresses[0] === ewoq.address)!;
    const status = async () =>
      ((await node.client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) })).result as unknown as { status: string }).status;
    while ((await status()) !== 'Accepted') await Bun.sleep(1);
  }
}

const listTransactions = async (node: Program): Promise<unknown> =>
  (await fetch(`${node.url}/v1/networks/local/blockchains/x-chain/transactions?pageSize=100`)).json();

test('a data directory without an index gets one at the next start, and reindex builds the same again', async () => {
  const without = await startProgram(`--data-dir=${folder}`, '--workers=0', '--data-api-enabled=false', '--metrics-api-enabled=false');
  await pay(without, 20);
  expect((await fetch(`${without.url}/v1/chains`)).status).toBe(404);
  await without.stop();

  const node = await startProgram(`--data-dir=${folder}`, '--workers=0');
  await pay(node, 10);
  const listed = (await listTransactions(node)) as { transactions: unknown[] };
  expect(listed.transactions.length).toBeGreaterThan(30);
  const busy = await runProgram('reindex', '--data-dir', folder);
  expect([busy.code, busy.err]).toEqual([1, expect.stringContaining('another process is using this data directory')]);
  await node.stop();

  expect(await runProgram('reindex', '--data-dir', folder)).toMatchObject({
    code: 0,
    out: '31 blocks indexed again\nthe new index equals the old one\n',
  });
  expect(existsSync(join(folder, 'db', 'reindex.sqlite'))).toBe(false);

  const db = new Database(database);
  db.run('UPDATE c1_balance SET count = count + 1 WHERE height = 7');
  db.run('DELETE FROM c1_history WHERE tx = (SELECT max(tx) FROM c1_history)');
  db.close();
  const checked = await runProgram('check', '--data-dir', folder);
  expect([checked.code, checked.out]).toEqual([4, expect.stringContaining('the history index does not match the blocks')]);
  for (const table of ['c1_balance', 'c1_history']) expect(checked.out).toContain(`  ${table}: `);
  const mended = await runProgram('reindex', '--data-dir', folder);
  expect(mended.code).toBe(4);
  expect(mended.out).toContain('differs from the old one in 2 tables, and has replaced it');
  for (const table of ['c1_balance', 'c1_history']) expect(mended.out).toContain(`  ${table}: `);
  expect((await runProgram('reindex', '--data-dir', folder)).out).toContain('equals the old one');

  const again = await startProgram(`--data-dir=${folder}`, '--workers=0');
  expect(await listTransactions(again)).toEqual(listed);
  await again.stop();
});

test('reindex continues after it was killed', async () => {
  const killed = Bun.spawn([...programCommand, 'reindex', '--data-dir', folder], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  while (!existsSync(join(folder, 'db', 'reindex.sqlite')) && killed.exitCode === null) await Bun.sleep(1);
  killed.kill('SIGKILL');
  await killed.exited;
  expect((await runProgram('reindex', '--data-dir', folder)).out).toContain('equals the old one');
});
