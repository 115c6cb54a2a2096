import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { idText } from '../src/bytes/id.ts';
import type { Pin } from '../src/index-read/index-reads.ts';
import type { Tx } from '../src/tx/tx.ts';
import { type ChainOracle, createChainOracle, heightOf, someListing } from './chain-oracle.ts';
import { ask, chainRoot, type Json, plainAddress } from './data-questions.ts';
import { type Client, createClient } from './http.ts';
import type { FromWatcher } from './index-watcher.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { expectRead, type Read, readListing } from './listing-reader.ts';
import { childrenOf, eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import { chance } from './random-world.ts';
import { localTerms } from './wallet-kit.ts';

/** Random transactions that are issued; .ci/run asks for more than a plain run of the suite. */
const issues = Number(process.env.SERAC_WATCH_ISSUES ?? 300);
const seed = Number(process.env.SERAC_SEED ?? 17);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-watch-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const arrangements = [
  { name: 'one process', flags: ['--workers=0'], readers: 0, count: Math.ceil(issues / 2) },
  { name: 'a reading process beside the one that writes', flags: ['--workers=1'], readers: 1, count: Math.ceil(issues / 2) },
];

describe(`index and chain, seed ${seed}`, () => {
  for (const { name, flags, readers, count } of arrangements)
    test(
      `${name}: the same after each of ${count} random transactions, to whoever reads meanwhile`,
      async () => {
        const dataDir = join(folder, `${readers}`);
        const program = await startProgram(`--data-dir=${dataDir}`, ...flags);
        try {
          await watched(program, join(dataDir, 'db', 'serac.sqlite'), readers, count);
        } finally {
          await program.stop();
        }
      },
      60_000 + issues * 300,
    );
});

async function watched(program: Program, database: string, readers: number, count: number): Promise<void> {
  const clients = await connections(program, readers);
  const issuer = createIssuer({ seed: seed + readers, client: program.client });
  const chain = createChainOracle(program.client);
  await issuer.fund();
  const watcher = watch(database);
  const paging = readOnAndOn(clients, issuer, program.client);
  try {
    for (let issued = 0; issued < count; ) {
      if (chance(issuer.random, 30)) await issuer.deposit();
      // Mostly a block for each; now and then some share one.
      const several = chance(issuer.random, 15) ? 2 + issuer.random.below(6) : 1;
      const txs = await issuer.issue(several);
      issued += several;
      await Promise.all(txs.map((tx) => expectTold(clients, issuer, tx)));
      await watcher.until(await heightOf(program.client));
      await chain.readOn(issuer.deposited);
      await expectBalances(clients, issuer, chain);
    }
    const reads = await paging.stop();
    expect(await watcher.end()).toEqual([]);
    await chain.readOn(issuer.deposited);
    expect(reads.length).toBeGreaterThan(0);
    expect(new Set(issuer.model.accepted.map(({ unsigned }) => unsigned.kind)).size).toBe(5);
    for (const read of reads) expectRead(chain, read);
  } finally {
    void paging.stop().catch(() => {});
    watcher.kill();
    for (const client of clients) client.close();
  }
}

/** Connections that between them reach every process which shares the port. */
async function connections(program: Program, readers: number): Promise<Client[]> {
  await eventually(
    () => childrenOf(program.pid).length,
    (children) => children >= readers,
  );
  // The kernel deals connections out as it likes: enough of them, and each process has some.
  return Array.from({ length: readers === 0 ? 2 : 8 }, () => createClient(program.port));
}

/** Whoever has seen a transaction accepted finds it wherever it belongs, whichever process answers. */
async function expectTold(clients: readonly Client[], { random, wallet }: Issuer, { id, unsigned }: Tx): Promise<void> {
  const txHash = idText(id);
  const told = (path: string) => ask(random.pick(clients), { path: `${chainRoot}/${path}` });
  const { status, json } = await told(`transactions/${txHash}`);
  expect([status, json.txHash, json.txType]).toEqual([200, txHash, unsigned.kind]);
  const owners = new Set([...json.consumedUtxos, ...json.emittedUtxos].flatMap(({ addresses }: Json) => addresses as string[]));
  const [block, latest, theirs] = await Promise.all([
    told(`blocks/${json.blockHeight}`),
    told('transactions?pageSize=10'),
    told(`transactions?pageSize=10&addresses=${random.pick(wallet.keys.map(plainAddress).filter((address) => owners.has(address)))}`),
  ]);
  expect(block.json.transactions).toContain(txHash);
  for (const list of [latest, theirs]) expect(list.json.transactions.map((tx: Json) => tx.txHash)).toContain(txHash);
}

/** Balances come from sums that are kept: they must be the sums of what there is. */
async function expectBalances(
  clients: readonly Client[],
  { random, wallet }: Issuer,
  { oracle, pinAt, height }: ChainOracle,
): Promise<void> {
  const key = random.pick(wallet.keys);
  const { json } = await ask(random.pick(clients), { path: `${chainRoot}/balances?addresses=${plainAddress(key)}` });
  const pin: Pin = pinAt(height());
  const held = oracle.balances([key.address], pin);
  const total = held.own.filter(({ asset }) => asset === localTerms.feeAsset).reduce((sum, { amount }) => sum + amount, 0n);
  const single = held.shared.filter(({ utxo }) => utxo.assetID === localTerms.feeAsset && 'amount' in utxo.output);
  const shared = single.reduce((sum, { utxo: { output } }) => sum + ('amount' in output ? output.amount : 0n), 0n);
  const told = [...json.balances.unlocked, ...json.balances.locked].filter(({ assetId }) => assetId === idText(localTerms.feeAsset));
  expect(told.reduce((sum: bigint, { amount }: Json) => sum + BigInt(amount), 0n)).toBe(total + shared);
}

/** Reads lists page by page, one after the other, until it is told to stop. */
function readOnAndOn(clients: readonly Client[], { wallet, model }: Issuer, node: Client) {
  const random = createRandom(seed + 1);
  let stopped = false;
  const read = async (): Promise<Read[]> => {
    const reads: Read[] = [];
    while (!stopped) {
      const listing = someListing(random, wallet, [...model.assets.keys()]);
      reads.push(await readListing(clients, listing, 5 + random.below(40), { height: () => heightOf(node), node }));
    }
    return reads;
  };
  const done = read();
  // Whoever stops it is told what went wrong.
  done.catch(() => {});
  return {
    /** All that was read. */
    stop: (): Promise<Read[]> => {
      stopped = true;
      return done;
    },
  };
}

/** The watcher's process, and what it has told. */
function watch(database: string) {
  const problems: string[] = [];
  let checked = -1;
  let ended = false;
  let heard = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, fileURLToPath(new URL('./index-watcher.ts', import.meta.url)), database], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message: FromWatcher) => {
      checked = message.height;
      ended = message.whole;
      problems.push(...message.problems.map((problem) => `height ${message.height}: ${problem}`));
      heard.resolve();
    },
    onExit: () => heard.resolve(),
  });
  return {
    /** Until the index was found right at this height. */
    until: async (height: number): Promise<void> => {
      while (checked < height && child.exitCode === null) {
        heard = Promise.withResolvers();
        await heard.promise;
      }
      expect({ height: Math.min(checked, height), problems }).toEqual({ height, problems: [] });
    },
    /** Checks every row, and ends it. */
    end: async (): Promise<string[]> => {
      child.send('end');
      expect(await child.exited).toBe(0);
      return ended ? problems : [...problems, 'the last check did not happen'];
    },
    kill: () => child.kill(),
  };
}
