import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressWriter } from '../src/bytes/address.ts';
import { formatHex } from '../src/bytes/hex.ts';
import { idText } from '../src/bytes/id.ts';
import { effectsOf } from '../src/tx/effects.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { type Program, runProgram, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, ownedBy, signed, transfer } from './wallet-kit.ts';

/** How many bytes are changed, one at a time, in copies of a data directory; .ci/run may ask for more. */
const rounds = Number(process.env.SERAC_DAMAGE_ROUNDS ?? 12);
const seed = Number(process.env.SERAC_SEED ?? 5);
const blocks = 60;

const folder = mkdtempSync(join(tmpdir(), 'serac-damage-'));
const [stopped, killed] = [join(folder, 'stopped'), join(folder, 'killed')];
const wallet = createWallet('damage', { keys: [ewoq] });
const txIDs: string[] = [];
const txBytes: Buffer[] = [];
let answers: string[] = [];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const node = await startProgram(`--data-dir=${stopped}`, '--workers=0');
  await pay(node, blocks);
  answers = await ask(node);
  await node.stop('SIGKILL');
  cpSync(stopped, killed, { recursive: true });
  const again = await startProgram(`--data-dir=${stopped}`, '--workers=0');
  expect(await ask(again)).toEqual(answers);
  await again.stop();
}, 120_000);

async function pay(node: Program, times: number): Promise<void> {
  let money: Utxo = ewoqGenesisUtxo;
  for (let i = 0; i < times; i++) {
    const to = transfer(wallet.terms.feeAsset, BigInt(1000 + i), ownedBy([wallet.keys[1 + (i % 3)]!]));
    const tx = signed(baseTx(wallet, { utxos: [money] }, [to]));
    await node.client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    money = effectsOf(tx).created.find(({ output }) => output.addresses[0] === ewoq.address)!;
    const txID = idText(tx.id);
    txIDs.push(txID);
    txBytes.push(Buffer.from(tx.bytes));
    const status = async () => (await node.client.call('/ext/bc/X', 'avm.getTxStatus', { txID })).result as { status: string } | undefined;
    while ((await status())?.status !== 'Accepted') await Bun.sleep(1);
  }
}

/** Questions to all three interfaces. Balances and UTXOs of all addresses, every transaction, every block. */
function questions(): (readonly [path: string, method?: string, params?: object])[] {
  const addresses = wallet.keys.map(({ address }) => addressWriter('X', 'local')(address));
  const data = '/v1/networks/local/blockchains/x-chain';
  return [
    ['/ext/bc/X', 'avm.getHeight', {}],
    ['/ext/bc/X', 'avm.getAssetDescription', { assetID: 'AVAX' }],
    ...txIDs.flatMap((txID) => [
      ['/ext/bc/X', 'avm.getTx', { txID, encoding: 'hex' }] as const,
      ['/ext/bc/X', 'avm.getTx', { txID, encoding: 'json' }] as const,
      ['/ext/bc/X', 'avm.getTxStatus', { txID }] as const,
      [`${data}/transactions/${txID}`] as const,
    ]),
    ...Array.from({ length: blocks }, (_, i) => ['/ext/bc/X', 'avm.getBlockByHeight', { height: i + 1, encoding: 'hex' }] as const),
    ...addresses.flatMap((address) => [
      ['/ext/bc/X', 'avm.getAllBalances', { address }] as const,
      ['/ext/bc/X', 'avm.getUTXOs', { addresses: [address] }] as const,
      [`${data}/balances?addresses=${address.slice(2)}`] as const,
      [`${data}/utxos?addresses=${address.slice(2)}&pageSize=100`] as const,
      [`${data}/transactions?addresses=${address.slice(2)}&pageSize=100`] as const,
    ]),
    [`${data}/blocks?pageSize=100`],
  ];
}

/** Every answer as text; `error` for one that says so. */
async function ask(node: Program): Promise<string[]> {
  const told: string[] = [];
  for (const [path, method, params] of questions()) {
    if (method !== undefined) {
      const { error, result } = await node.client.call(path, method, params ?? {});
      told.push(error === undefined ? JSON.stringify(result) : 'error');
    } else {
      const { status, text } = await node.client.send('GET', path, {});
      told.push(status === 200 ? text : 'error');
    }
  }
  return told;
}

/** Answers that are neither right nor an error. */
const wrong = (told: readonly string[]): number => told.filter((answer, i) => answer !== 'error' && answer !== answers[i]).length;

function copyOf(source: string, change: (db: string) => void): string {
  const copy = join(folder, 'copy');
  rmSync(copy, { recursive: true, force: true });
  cpSync(source, copy, { recursive: true });
  change(join(copy, 'db'));
  return copy;
}

const flipIn = (file: string, at: number, bit = 0): void => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] as number) ^ (1 << bit);
  writeFileSync(file, bytes);
};

const started = (dir: string) => runProgram(`--data-dir=${dir}`, '--workers=0', '--http-port=0', '--silent');

/** One sentence, no stack. */
function expectSentence({ err, out }: { err: string; out: string }): void {
  expect(err + out).not.toMatch(/^\s+at /m);
  expect(err + out).not.toMatch(/node_modules|\.ts:\d/);
  expect(err.split('\n').filter((line) => line !== '' && !/ (pages|rows|tables|blocks) \(/.test(line)).length).toBeLessThanOrEqual(1);
}

describe('the write-ahead log of a killed node', () => {
  test('is replayed: nothing is lost and nothing is refused', async () => {
    const node = await startProgram(`--data-dir=${copyOf(killed, () => {})}`, '--workers=0');
    expect(wrong(await ask(node))).toBe(0);
    expect(await ask(node)).toEqual(answers);
    await node.stop();
  });

  const losses: readonly [name: string, (db: string) => void][] = [
    ['removed', (db) => rmSync(join(db, 'serac.sqlite-wal'))],
    ['of length 0', (db) => truncateSync(join(db, 'serac.sqlite-wal'), 0)],
    ['cut off in the middle', (db) => truncateSync(join(db, 'serac.sqlite-wal'), readFileSync(join(db, 'serac.sqlite-wal')).length >> 1)],
    ['with one changed byte', (db) => flipIn(join(db, 'serac.sqlite-wal'), 20_000)],
    ['with a changed header', (db) => flipIn(join(db, 'serac.sqlite-wal'), 18)],
  ];
  for (const [name, change] of losses)
    test(`${name}: the start ends with 4 and says which block is missing`, async () => {
      const dir = copyOf(killed, change);
      for (const ended of [await started(dir), await runProgram('check', '--data-dir', dir)]) {
        expect(ended.code).toBe(4);
        expect(ended.err + ended.out).toContain(`block ${blocks} had been accepted`);
        expectSentence(ended);
      }
    });
});

describe('a damaged file', () => {
  const damages: readonly [name: string, code: number, (db: string) => void][] = [
    ['empty', 4, (db) => truncateSync(join(db, 'serac.sqlite'), 0)],
    ['missing', 4, (db) => rmSync(join(db, 'serac.sqlite'))],
    ['a text file', 4, (db) => writeFileSync(join(db, 'serac.sqlite'), 'this is no database\n'.repeat(500))],
    ['a short text file', 4, (db) => writeFileSync(join(db, 'serac.sqlite'), 'no')],
    [
      'a directory',
      1,
      (db) => {
        rmSync(join(db, 'serac.sqlite'));
        mkdirSync(join(db, 'serac.sqlite'));
      },
    ],
    ['cut off', 4, (db) => truncateSync(join(db, 'serac.sqlite'), 40_000)],
    ['with a changed header', 4, (db) => flipIn(join(db, 'serac.sqlite'), 3)],
    ['with another page size', 4, (db) => flipIn(join(db, 'serac.sqlite'), 16, 5)],
    ['another database', 4, (db) => copyFileSync(join(db, 'keys.sqlite'), join(db, 'serac.sqlite'))],
  ];
  for (const withSums of [true, false])
    for (const [name, code, change] of damages)
      test(`${name}, ${withSums ? 'with' : 'without'} page checksums: every command says so in a sentence`, async () => {
        const dir = copyOf(stopped, (db) => {
          change(db);
          if (!withSums) rmSync(join(db, 'serac.sqlite-sums'), { force: true });
        });
        const all = [await started(dir), await runProgram('check', '--data-dir', dir), await runProgram('reindex', '--data-dir', dir)];
        for (const ended of all) {
          expect(ended.code).toBe(code);
          expectSentence(ended);
        }
      });

  test('keys that cannot be read are told in a sentence too', async () => {
    const dir = copyOf(stopped, (db) => writeFileSync(join(db, 'keys.sqlite'), 'this is no database\n'.repeat(500)));
    for (const ended of [await runProgram('keys', 'list', '--data-dir', dir), await started(dir)]) {
      expect(ended.code).toBe(4);
      expectSentence(ended);
    }
  });
});

describe('check', () => {
  test('finds nothing in a sound directory, stopped or killed', async () => {
    for (const dir of [stopped, copyOf(killed, () => {})]) {
      const { code, out } = await runProgram('check', '--data-dir', dir);
      expect([code, out]).toEqual([0, expect.stringContaining('no damage found')]);
      expect(out).toContain(`${blocks + 1} blocks`);
    }
  });

  test('refuses a directory without a database and creates nothing', async () => {
    const dir = join(folder, 'mistyped');
    for (const command of ['check', 'reindex']) {
      const ended = await runProgram(command, '--data-dir', dir);
      expect(ended.code).toBe(1);
      expect(ended.err).toContain(`there is no database in ${dir}`);
      expectSentence(ended);
      expect(existsSync(dir)).toBe(false);
    }
  });

  test('refuses a directory that a node uses', async () => {
    const node = await startProgram(`--data-dir=${copyOf(stopped, () => {})}`, '--workers=0');
    const { code, err } = await runProgram('check', '--data-dir', join(folder, 'copy'));
    expect([code, err]).toEqual([1, expect.stringContaining('another process is using this data directory')]);
    await node.stop();
  });

  test('records checksums again once every row was found right', async () => {
    const dir = copyOf(stopped, (db) => flipIn(join(db, 'serac.sqlite-sums'), 30));
    expect((await started(dir)).code).toBe(4);
    const { code, out } = await runProgram('check', '--data-dir', dir);
    expect([code, out]).toEqual([0, expect.stringContaining('every row is right: their checksums were recorded again')]);
    const node = await startProgram(`--data-dir=${dir}`, '--workers=0');
    expect(await ask(node)).toEqual(answers);
    await node.stop();
  });
});

test(`${rounds} changed bytes, seed ${seed}: every answer is right or an error`, async () => {
  const random = createRandom(seed);
  const whole = readFileSync(join(stopped, 'db', 'serac.sqlite'));
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const at = random.below(whole.length);
    const dir = copyOf(stopped, (db) => flipIn(join(db, 'serac.sqlite'), at, round % 8));
    const ended = await started(dir);
    expect([at, ended.code]).toEqual([at, 4]);
    expectSentence(ended);
    refused++;
  }
  expect(refused).toBe(rounds);
}, 120_000);

test('what changes after the start is found when it is read: transactions and blocks are right or an error', async () => {
  const dir = copyOf(stopped, (db) => {
    rmSync(join(db, 'serac.sqlite-sums'));
    const file = readFileSync(join(db, 'serac.sqlite'));
    // A byte of the signature of every second transaction, wherever it is in the file: pages may hold remains of earlier versions.
    for (const bytes of txBytes.filter((_, i) => i % 2 === 0)) {
      const signature = bytes.subarray(-40);
      let found = 0;
      for (let at = file.indexOf(signature); at >= 0; at = file.indexOf(signature, at), found++)
        file[at + 5] = (file[at + 5] as number) ^ 1;
      expect(found).toBeGreaterThan(0);
    }
    writeFileSync(join(db, 'serac.sqlite'), file);
  });
  const node = await startProgram(`--data-dir=${dir}`, '--workers=0', '--health-check-frequency=200ms');
  const told = await ask(node);
  expect(questions().filter((_, i) => told[i] !== 'error' && told[i] !== answers[i])).toEqual([]);
  const errors = questions().filter((_, i) => told[i] === 'error');
  // Half of: getTx in two forms, its Data route, its block.
  const count = (method: string) => errors.filter((question) => question[1] === method).length;
  expect([count('avm.getTx'), count('avm.getBlockByHeight')]).toEqual([blocks, blocks / 2]);
  const health = async () => (await node.client.send('GET', '/ext/health', {})).text;
  while (!(await health()).includes('the database is damaged')) await Bun.sleep(50);
  await node.stop();
}, 60_000);
