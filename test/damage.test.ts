import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { runProgram, startProgram } from './program.ts';
import { createRandom, isLong } from './random.ts';
import { type RunningNode, runDataCommand, startHere, tryStart as tryNode } from './short-command.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Number of single-byte changes that are tried, each in a copy of a data directory; .ci/run may set more. */
const rounds = Number(process.env.SERAC_DAMAGE_ROUNDS ?? 12);
const seed = Number(process.env.SERAC_SEED ?? 5);
const blocks = 60;

const folder = mkdtempSync(join(tmpdir(), 'serac-damage-'));
const [stopped, killed] = [join(folder, 'stopped'), join(folder, 'killed')];
const wallet = createWallet('damage', { keys: [ewoq] });
const txIDs: string[] = [];
const txBytes: Buffer[] = [];
let expectedResponses: string[] = [];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const node = await startProgram(`--data-dir=${stopped}`, '--workers=0');
  await pay(node, blocks);
  expectedResponses = await queryAll(node);
  await node.stop('SIGKILL');
  cpSync(stopped, killed, { recursive: true });
  const again = await startHere({ dataDir: stopped });
  expect(await queryAll(again)).toEqual(expectedResponses);
  await again.stop();
});

async function pay(node: RunningNode, times: number): Promise<void> {
  let money: Utxo = ewoqGenesisUtxo;
  for (let i = 0; i < times; i++) {
    const to = transfer(wallet.chainParams.feeAsset, BigInt(1000 + i), ownedBy([wallet.keys[1 + (i % 3)]!]));
    const tx = signDraft(baseTx(wallet, { utxos: [money] }, [to]));
    await node.client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    money = effectsOf(tx).created.find(({ output }) => output.addresses[0] === ewoq.address)!;
    const txID = idText(tx.id);
    txIDs.push(txID);
    txBytes.push(Buffer.from(tx.bytes));
    const status = async () => (await node.client.call('/ext/bc/X', 'avm.getTxStatus', { txID })).result as { status: string } | undefined;
    while ((await status())?.status !== 'Accepted') await Bun.sleep(1);
  }
}

/** Queries to the Node RPC and the Data API: balances and UTXOs of all addresses, every transaction, every block. */
function queries(): (readonly [path: string, method?: string, params?: object])[] {
  const addresses = wallet.keys.map(({ address }) => createAddressFormatter('X', 'local')(address));
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

/** Every response as text; `error` for an error. */
async function queryAll(node: RunningNode): Promise<string[]> {
  const responses: string[] = [];
  for (const [path, method, params] of queries()) {
    if (method !== undefined) {
      const { error, result } = await node.client.call(path, method, params ?? {});
      responses.push(error === undefined ? JSON.stringify(result) : 'error');
    } else {
      const { status, text } = await node.client.send('GET', path, {});
      responses.push(status === 200 ? text : 'error');
    }
  }
  return responses;
}

/** Number of responses that are neither correct nor an error. */
const countWrong = (responses: readonly string[]): number =>
  responses.filter((answer, i) => answer !== 'error' && answer !== expectedResponses[i]).length;

function copyOf(source: string, change: (db: string) => void): string {
  const copy = mkdtempSync(join(folder, 'copy-'));
  cpSync(source, copy, { recursive: true });
  change(join(copy, 'db'));
  return copy;
}

const flipBit = (file: string, at: number, bit = 0): void => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] as number) ^ (1 << bit);
  writeFileSync(file, bytes);
};

const tryStart = (dir: string) => runProgram('--accounts=0', `--data-dir=${dir}`, '--workers=0', '--http-port=0', '--silent');

/** The same start, which must fail, in this process. */
const tryStartHere = (dataDir: string) => tryNode({ dataDir });

/** The responses after `serac reindex`; undefined if the start reports damage. */
async function tryReindexAndStart(dir: string): Promise<string[] | undefined> {
  await runDataCommand('reindex', '--data-dir', dir);
  const check = await runDataCommand('check', '--data-dir', dir);
  if (check.code !== 0) {
    expect((await tryStart(dir)).code).toBe(4);
    return undefined;
  }
  const node = await startHere({ dataDir: dir });
  const responses = await queryAll(node);
  await node.stop();
  return responses;
}

/** Expects an error of one line, without a stack trace. */
function expectOneLineError({ err, out }: { err: string; out: string }): void {
  expect(err + out).not.toMatch(/^\s+at /m);
  expect(err + out).not.toMatch(/node_modules|\.ts:\d/);
  expect(err.split('\n').filter((line) => line !== '' && !/ (pages|rows|tables|blocks) \(/.test(line)).length).toBeLessThanOrEqual(1);
}

test('a node that a second signal ends at once starts again without a report of damage', async () => {
  const dir = copyOf(stopped, () => {});
  const node = await startProgram(`--data-dir=${dir}`, '--workers=0', '--http-shutdown-wait=10s');
  await node.client.send('GET', '/v1/health-check');
  process.kill(node.pid, 'SIGTERM');
  // Signals within half a second count as one: a terminal sends Ctrl-C to the launcher too.
  await Bun.sleep(1_000);
  expect(await node.stop()).toBe(1);
  const again = await startProgram(`--data-dir=${dir}`, '--workers=0');
  expect(await again.stop()).toBe(0);
});

/** Bytes of a frame of the log: its header and a page. */
const frameSize = 24 + 4096;

describe('the write-ahead log of a killed node', () => {
  test('is replayed: every response is as before', async () => {
    const node = await startHere({ dataDir: copyOf(killed, () => {}) });
    expect(await queryAll(node)).toEqual(expectedResponses);
    await node.stop();
  });

  test('that lost the beginning of a commit and has its end: the rest of it counts for nothing, also in the checksums', async () => {
    const dir = copyOf(killed, (db) => {
      const path = join(db, 'serac.sqlite-wal');
      const wal = readFileSync(path);
      const frames = Array.from({ length: Math.floor((wal.length - 32) / frameSize) }, (_, i) => 32 + i * frameSize);
      const ends = frames.filter((at) => wal.readUInt32BE(at + 4) !== 0);
      const long = ends.findLastIndex((end, i) => i > 0 && end - (ends[i - 1] as number) > 12 * frameSize);
      const lost = (ends[long - 1] as number) + frameSize;
      writeFileSync(path, wal.fill(0, lost, lost + frameSize).subarray(0, (ends[long] as number) + frameSize));
      // It may name a block that this commit had: the blocks are not what is tested here.
      rmSync(join(db, 'chain-ends'));
    });
    for (let start = 0; start < 3; start++) {
      const node = await startProgram(`--data-dir=${dir}`, '--workers=0');
      expect(await node.stop()).toBe(0);
    }
  });

  const losses: readonly [name: string, (db: string) => void][] = [
    ['removed', (db) => rmSync(join(db, 'serac.sqlite-wal'))],
    ['emptied', (db) => truncateSync(join(db, 'serac.sqlite-wal'), 0)],
    ['truncated to half', (db) => truncateSync(join(db, 'serac.sqlite-wal'), readFileSync(join(db, 'serac.sqlite-wal')).length >> 1)],
    ['with one changed byte', (db) => flipBit(join(db, 'serac.sqlite-wal'), 20_000)],
    ['with a changed header', (db) => flipBit(join(db, 'serac.sqlite-wal'), 18)],
  ];
  for (const [name, change] of losses)
    test(`${name}: every command exits with 4, prints the missing block and leaves the log as it is`, async () => {
      for (const hasSums of [true, false]) {
        const dir = copyOf(killed, (db) => {
          change(db);
          if (!hasSums) rmSync(join(db, 'serac.sqlite-sums'), { force: true });
        });
        const readLog = (): Buffer | undefined => {
          const path = join(dir, 'db', 'serac.sqlite-wal');
          return existsSync(path) ? readFileSync(path) : undefined;
        };
        const before = readLog();
        const commands = ['compact', 'reindex', 'check'].map((command) => () => runDataCommand(command, '--data-dir', dir));
        for (const run of [() => (hasSums ? tryStart(dir) : tryStartHere(dir)), ...commands]) {
          const ended = await run();
          expect(ended.code).toBe(4);
          expect(ended.err + ended.out).toContain(`block ${blocks} had been accepted`);
          expectOneLineError(ended);
          if (before !== undefined && before.length > 0) expect(readLog()?.equals(before)).toBe(true);
        }
      }
    });

  test('with one changed byte that is changed back: no block is lost', async () => {
    const dir = copyOf(killed, (db) => flipBit(join(db, 'serac.sqlite-wal'), 20_000));
    expect((await tryStart(dir)).code).toBe(4);
    flipBit(join(dir, 'db', 'serac.sqlite-wal'), 20_000);
    const node = await startHere({ dataDir: dir });
    expect(await queryAll(node)).toEqual(expectedResponses);
    await node.stop();
  });
});

describe('a damaged database file', () => {
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
    ['truncated', 4, (db) => truncateSync(join(db, 'serac.sqlite'), 40_000)],
    ['with a changed header', 4, (db) => flipBit(join(db, 'serac.sqlite'), 3)],
    ['with another page size', 4, (db) => flipBit(join(db, 'serac.sqlite'), 16, 5)],
    ['another database', 4, (db) => copyFileSync(join(db, 'keys.sqlite'), join(db, 'serac.sqlite'))],
  ];
  // `npm test` tries every second one with checksums and the others without, `.ci/run` each with both.
  for (const [i, [name, code, change]] of damages.entries())
    for (const withSums of isLong ? [true, false] : [i % 2 === 0])
      test(`${name}, ${withSums ? 'with' : 'without'} page checksums: every command reports it in one line`, async () => {
        const dir = copyOf(stopped, (db) => {
          change(db);
          if (!withSums) rmSync(join(db, 'serac.sqlite-sums'), { force: true });
        });
        const all = [
          await tryStart(dir),
          await runDataCommand('check', '--data-dir', dir),
          await runDataCommand('reindex', '--data-dir', dir),
        ];
        for (const ended of all) {
          expect(ended.code).toBe(code);
          expectOneLineError(ended);
        }
      });

  test('with an empty page, with and without page checksums: a start and a check report it in one line', async () => {
    for (const withSums of [true, false]) {
      const dir = copyOf(stopped, (db) => {
        const path = join(db, 'serac.sqlite');
        writeFileSync(path, readFileSync(path).fill(0, 4 * 4096, 5 * 4096));
        if (!withSums) rmSync(`${path}-sums`);
      });
      for (const ended of [await tryStart(dir), await runDataCommand('check', '--data-dir', dir)]) {
        expect(ended.code).toBe(4);
        expectOneLineError(ended);
      }
    }
  });

  test('without page checksums: serac reindex repairs it, or leaves it such that a start reports it', async () => {
    const random = createRandom(seed);
    const pages = readFileSync(join(stopped, 'db', 'serac.sqlite')).length / 4096;
    let refused = 0;
    for (let round = 0; round < (isLong ? 30 : 6); round++) {
      const page = 1 + random.below(pages - 1);
      const dir = copyOf(stopped, (db) => {
        const path = join(db, 'serac.sqlite');
        writeFileSync(path, readFileSync(path).fill(0, page * 4096, (page + 1) * 4096));
        rmSync(`${path}-sums`);
      });
      const started = await tryReindexAndStart(dir);
      if (started === undefined) refused++;
      else expect([page, countWrong(started)]).toEqual([page, 0]);
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('serac backup copies no damaged page', async () => {
    const random = createRandom(seed);
    const size = readFileSync(join(stopped, 'db', 'serac.sqlite')).length;
    for (let round = 0; round < (isLong ? 12 : 3); round++) {
      const dir = copyOf(stopped, (db) => flipBit(join(db, 'serac.sqlite'), 4096 + random.below(size - 4096)));
      const target = join(folder, 'backup');
      const ended = await runDataCommand('backup', target, '--data-dir', dir);
      expect([ended.code, existsSync(join(target, 'db', 'serac.sqlite'))]).toEqual([4, false]);
      expect(ended.err).toContain('differs from its checksum');
      expectOneLineError(ended);
    }
  });

  test('an unreadable keys database is reported in one line too', async () => {
    const dir = copyOf(stopped, (db) => writeFileSync(join(db, 'keys.sqlite'), 'this is no database\n'.repeat(500)));
    for (const ended of [await runDataCommand('keys', 'list', '--data-dir', dir), await tryStart(dir)]) {
      expect(ended.code).toBe(4);
      expectOneLineError(ended);
    }
  });
});

describe('check', () => {
  test('finds no damage in an intact directory after a stop or a kill', async () => {
    for (const dir of [stopped, copyOf(killed, () => {})]) {
      const { code, out } = await runProgram('check', '--data-dir', dir);
      expect([code, out]).toEqual([0, expect.stringContaining('no damage found')]);
      expect(out).toContain(`${blocks + 1} blocks`);
    }
  });

  test('rejects a directory without a database and creates no files', async () => {
    const dir = join(folder, 'mistyped');
    for (const command of ['check', 'reindex']) {
      const ended = await runProgram(command, '--data-dir', dir);
      expect(ended.code).toBe(1);
      expect(ended.err).toContain(`there is no database in ${dir}`);
      expectOneLineError(ended);
      expect(existsSync(dir)).toBe(false);
    }
  });

  test('rejects a directory that a node is using', async () => {
    const dir = copyOf(stopped, () => {});
    const node = await startProgram(`--data-dir=${dir}`, '--workers=0');
    const { code, err } = await runProgram('check', '--data-dir', dir);
    expect([code, err]).toEqual([1, expect.stringContaining('another process is using this data directory')]);
    await node.stop();
  });

  test('rewrites damaged checksums if every row is correct', async () => {
    const dir = copyOf(stopped, (db) => flipBit(join(db, 'serac.sqlite-sums'), 30));
    expect((await tryStart(dir)).code).toBe(4);
    const { code, out } = await runDataCommand('check', '--data-dir', dir);
    expect([code, out]).toEqual([0, expect.stringContaining('every row is valid: new checksums were recorded')]);
    const node = await startHere({ dataDir: dir });
    expect(await queryAll(node)).toEqual(expectedResponses);
    await node.stop();
  });
});

test(`${rounds} changed bytes, seed ${seed}: every start fails with one line`, async () => {
  const random = createRandom(seed);
  const whole = readFileSync(join(stopped, 'db', 'serac.sqlite'));
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const at = random.below(whole.length);
    const dir = copyOf(stopped, (db) => flipBit(join(db, 'serac.sqlite'), at, round % 8));
    const ended = await (round < 2 ? tryStart : tryStartHere)(dir);
    expect([at, ended.code]).toEqual([at, 4]);
    expectOneLineError(ended);
    refused++;
  }
  expect(refused).toBe(rounds);
});

test('damage that the start does not check is found on read: transactions and blocks are correct or an error', async () => {
  const dir = copyOf(stopped, (db) => {
    rmSync(join(db, 'serac.sqlite-sums'));
    const file = readFileSync(join(db, 'serac.sqlite'));
    // Changes a byte of the signature of every second transaction, at every place in the file: pages may keep old copies.
    for (const bytes of txBytes.filter((_, i) => i % 2 === 0)) {
      const signature = bytes.subarray(-40);
      let found = 0;
      for (let at = file.indexOf(signature); at >= 0; at = file.indexOf(signature, at), found++)
        file[at + 5] = (file[at + 5] as number) ^ 1;
      expect(found).toBeGreaterThan(0);
    }
    writeFileSync(join(db, 'serac.sqlite'), file);
  });
  const node = await startHere({ dataDir: dir, healthCheckFrequency: '200ms' });
  const responses = await queryAll(node);
  expect(queries().filter((_, i) => responses[i] !== 'error' && responses[i] !== expectedResponses[i])).toEqual([]);
  const errors = queries().filter((_, i) => responses[i] === 'error');
  // Half of the transactions are damaged: getTx in two encodings, and their blocks.
  const count = (method: string) => errors.filter((question) => question[1] === method).length;
  expect([count('avm.getTx'), count('avm.getBlockByHeight')]).toEqual([blocks, blocks / 2]);
  const health = async () => (await node.client.send('GET', '/ext/health', {})).text;
  while (!(await health()).includes('the database is damaged')) await Bun.sleep(50);
  await node.stop();
});
