import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tx } from '../src/avm/tx/tx.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { PinnedBlock } from '../src/ledger/index-read/index-reads.ts';
import { type ChainOracle, createChainOracle, heightOf, randomListing } from './chain-oracle.ts';
import { chainRoot, type Json, plainAddress, sendRequest } from './data-requests.ts';
import { type Client, createClient } from './http.ts';
import type { WatcherReport } from './index-watcher.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { expectListingRead, type ListingRead, readListing } from './listing-reader.ts';
import { childrenOf, eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import { chance } from './random-world.ts';
import { localChainParams } from './wallet-kit.ts';

/** Number of random transactions to issue; .ci/run uses more than the default. */
const txCount = Number(process.env.SERAC_WATCH_ISSUES ?? 120);
const seed = Number(process.env.SERAC_SEED ?? 17);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-watch-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const setups = [
  { name: 'one process', flags: ['--workers=0'], readers: 0 },
  { name: 'a writer and a reader process', flags: ['--workers=1'], readers: 1 },
];

/** Chains of each set-up: a transaction waits for the one before it, so one chain with thousands took as long as all other tests of .ci/run together. */
const chains = Math.ceil(txCount / 5000);
const count = Math.ceil(txCount / setups.length / chains);
const runs = setups.flatMap((setup) =>
  Array.from({ length: chains }, (_, chain) => ({ ...setup, chainSeed: seed + setup.readers + 2 * chain })),
);

// At the same time: each waits most of its time for a process.
describe.concurrent(`index and chain, seed ${seed}`, () => {
  for (const { name, flags, readers, chainSeed } of runs)
    test(
      `${name}, chain ${chainSeed}: index and chain agree after each of ${count} random transactions, also for concurrent readers`,
      async () => {
        const dataDir = join(folder, `${chainSeed}`);
        const program = await startProgram(`--data-dir=${dataDir}`, ...flags);
        try {
          await runWatched(program, join(dataDir, 'db', 'serac.sqlite'), { readers, chainSeed });
        } catch (error) {
          console.log(`${name}, chain ${chainSeed}:\n${program.stderrText()}`);
          throw error;
        } finally {
          await program.stop();
        }
      },
      60_000 + txCount * 300,
    );
});

async function runWatched(
  program: Program,
  database: string,
  { readers, chainSeed }: { readonly readers: number; readonly chainSeed: number },
): Promise<void> {
  const clients = await openConnections(program, readers);
  const issuer = createIssuer({ seed: chainSeed, client: program.client });
  const chain = createChainOracle(program.client);
  await issuer.fund();
  const watcher = startWatcher(database);
  const paging = readBeside(clients, issuer, program.client, chainSeed);
  try {
    for (let issued = 0; issued < count; ) {
      if (chance(issuer.random, 30)) await issuer.deposit();
      if (chance(issuer.random, 15)) paging.readAnother();
      // Mostly one transaction per block; sometimes several.
      const batchSize = chance(issuer.random, 15) ? 2 + issuer.random.below(6) : 1;
      const txs = await issuer.issue(batchSize);
      issued += batchSize;
      await Promise.all(txs.map((tx) => expectIndexed(clients, issuer, tx, txs.length)));
      await watcher.until(await heightOf(program.client));
      await chain.readNewBlocks(issuer.deposited);
      await expectBalances(clients, issuer, chain);
    }
    const reads = await paging.stop();
    expect(await watcher.end()).toEqual([]);
    await chain.readNewBlocks(issuer.deposited);
    expect(reads.length).toBeGreaterThan(0);
    expect(new Set(issuer.model.accepted.map(({ unsigned }) => unsigned.kind)).size).toBe(5);
    for (const read of reads) expectListingRead(chain, read);
  } finally {
    void paging.stop().catch(() => {});
    watcher.kill();
    for (const client of clients) client.close();
  }
}

/** Opens enough connections to reach every process that shares the port. */
async function openConnections(program: Program, readers: number): Promise<Client[]> {
  await eventually(
    () => childrenOf(program.pid).length,
    (children) => children >= readers,
  );
  // The kernel distributes connections among the processes; with enough connections each process has some.
  return Array.from({ length: readers === 0 ? 2 : 8 }, () => createClient(program.port));
}

/** Expects that one of the `newest` accepted transactions is in all lists where it belongs, whichever process responds. */
async function expectIndexed(clients: readonly Client[], { random, wallet }: Issuer, { id, unsigned }: Tx, newest: number): Promise<void> {
  const txHash = idText(id);
  const get = (path: string) => sendRequest(random.pick(clients), { path: `${chainRoot}/${path}` });
  const { status, json } = await get(`transactions/${txHash}`);
  expect([status, json.txHash, json.txType]).toEqual([200, txHash, unsigned.kind]);
  const owners = new Set([...json.consumedUtxos, ...json.emittedUtxos].flatMap(({ addresses }: Json) => addresses as string[]));
  const [block, latest, byAddress] = await Promise.all([
    get(`blocks/${json.blockHeight}`),
    get(`transactions?pageSize=${newest}`),
    get(`transactions?pageSize=${newest}&addresses=${random.pick(wallet.keys.map(plainAddress).filter((address) => owners.has(address)))}`),
  ]);
  expect(block.json.transactions).toContain(txHash);
  for (const list of [latest, byAddress]) expect(list.json.transactions.map((tx: Json) => tx.txHash)).toContain(txHash);
}

/** Expects that balances, which are stored sums, equal the sums of the outputs. */
async function expectBalances(
  clients: readonly Client[],
  { random, wallet }: Issuer,
  { oracle, pinAt, height }: ChainOracle,
): Promise<void> {
  const key = random.pick(wallet.keys);
  const { json } = await sendRequest(random.pick(clients), { path: `${chainRoot}/balances?addresses=${plainAddress(key)}` });
  const pin: PinnedBlock = pinAt(height());
  const balances = oracle.balances([key.address], pin, pin.time);
  const total = balances.singleOwner
    .filter(({ asset }) => asset === localChainParams.feeAsset)
    .reduce((sum, { amount }) => sum + amount, 0n);
  const shared = balances.others
    .filter(({ asset, type, sharedWith }) => asset === localChainParams.feeAsset && type === 'secp256k1' && sharedWith === undefined)
    .reduce((sum, { amount }) => sum + amount, 0n);
  const returned = [...json.balances.unlocked, ...json.balances.locked].filter(
    ({ assetId }) => assetId === idText(localChainParams.feeAsset),
  );
  expect(returned.reduce((sum: bigint, { amount }: Json) => sum + BigInt(amount), 0n)).toBe(total + shared);
}

/**
 * Reads random lists page by page, one for each call of `readAnother` at most: without a pause they took most of the time of the node. Pages
 * grow with the chain, or the whole list would take a hundred requests and more.
 */
function readBeside(clients: readonly Client[], { wallet, model }: Issuer, node: Client, chainSeed: number) {
  const random = createRandom(chainSeed + 1);
  let stopped = false;
  let next = Promise.withResolvers<void>();
  const read = async (): Promise<ListingRead[]> => {
    const reads: ListingRead[] = [];
    while (!stopped) {
      await next.promise;
      next = Promise.withResolvers();
      const listing = randomListing(random, wallet, [...model.assets.keys()]);
      const pageSize = Math.min(100, 5 + random.below(40) + Math.floor(model.accepted.length / 20));
      reads.push(await readListing(clients, listing, pageSize, { height: () => heightOf(node), node }));
    }
    return reads;
  };
  const done = read();
  // `stop` rethrows an error; this only avoids an unhandled rejection before.
  done.catch(() => {});
  return {
    /** Lets the next list be read, beside what the caller does. */
    readAnother: (): void => next.resolve(),
    /** Stops reading and returns everything that was read. */
    stop: (): Promise<ListingRead[]> => {
      stopped = true;
      next.resolve();
      return done;
    },
  };
}

/** Starts the watcher process and collects its reports. */
function startWatcher(database: string) {
  const problems: string[] = [];
  let checked = -1;
  let ended = false;
  let reported = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, fileURLToPath(new URL('./index-watcher.ts', import.meta.url)), database], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message: WatcherReport) => {
      checked = message.height;
      ended = message.isFullCheck;
      problems.push(...message.problems.map((problem) => `height ${message.height}: ${problem}`));
      reported.resolve();
    },
    onExit: () => reported.resolve(),
  });
  return {
    /** Waits until the watcher has checked the index at this height; fails if it found problems. */
    until: async (height: number): Promise<void> => {
      while (checked < height && child.exitCode === null) {
        reported = Promise.withResolvers();
        await reported.promise;
      }
      expect({ height: Math.min(checked, height), problems }).toEqual({ height, problems: [] });
    },
    /** Lets the watcher check every row and exit; returns all problems. */
    end: async (): Promise<string[]> => {
      child.send('end');
      expect(await child.exited).toBe(0);
      return ended ? problems : [...problems, 'the watcher exited before the full check'];
    },
    kill: () => child.kill(),
  };
}
