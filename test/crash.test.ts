import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/app/platform/database-bun.ts';
import { parseTx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex, toHex } from '../src/base/bytes/hex.ts';
import { idOf, idText } from '../src/base/bytes/id.ts';
import { tablesOf } from '../src/ledger/state/schema.ts';
import type { Database } from '../src/ledger/store/database.ts';
import { type Client, createClient } from './http.ts';
import { cChain, localModel, openLocalChain, pChain } from './local-chain.ts';
import { eventually, processesMatching } from './processes.ts';
import { type Program, programCommand, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import { type Case, chance } from './random-world.ts';
import { auditState, readHistory, stateHash, unspentOutputs } from './state-audit.ts';
import { createTxGenerator } from './tx-generator.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Number of times the node is killed under load; .ci/run sets more. */
const kills = Number(process.env.SERAC_KILLS ?? 12);
const seed = Number(process.env.SERAC_SEED ?? 9);
const connections = 8;
const batchSize = 48;
const coin = 1_000_000_000_000n;

const folder = mkdtempSync(join(tmpdir(), 'serac-crash-'));
const dataDir = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = createRandom(seed);
const wallet = createWallet('crash', { keys: [ewoq], count: 6 });
const model = localModel();
const now = () => BigInt(Math.floor(Date.now() / 1000));
const lockedUntil = () => now() + 1_000_000n;
const generator = createTxGenerator({ random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holdsPending: false }, 15);

/** What callers have observed as accepted; it must never be lost. */
const observed = { accepted: new Set<string>(), height: 0n };
const deposits: Utxo[] = [];

test(
  `kill -9 at ${kills} random times, seed ${seed}: no accepted transaction is lost`,
  async () => {
    const restarts: number[] = [];
    let undecided: Case[] = [];
    for (let round = 0; round < kills; round++) {
      if (chance(random, 15)) await killWhileStarting();
      const { program, took } = await startHealthy();
      restarts.push(took);
      await settle(program.client, undecided);
      if (round === 0) await fund(program.client);
      if (chance(random, 20)) await deposit(program.client);
      const first = nextBatch();
      const killed = killSoon(program, chance(random, 20));
      undecided = await loadUntil(program.port, first, killed);
      await killed;
      if (round % 10 === 0) checkFile(round % 40 === 0);
    }
    const { program } = await startHealthy();
    await settle(program.client, undecided);
    const { result } = await program.client.call('/ext/bc/X', 'avm.getHeight');
    expect(await program.stop()).toBe(0);
    checkFile(true);
    expect(observed.accepted.size).toBeGreaterThan(kills);
    expect(unspentOnDisk()).toEqual([...model.utxos.keys()].sort());
    // Reader processes exit with the writer.
    expect(await eventually(() => processesMatching(dataDir), isEmpty)).toEqual([]);
    restarts.sort((a, b) => a - b);
    const [median, max] = [restarts[restarts.length >> 1], restarts.at(-1)].map((ms) => `${Math.round(ms ?? 0)} ms`);
    const { height } = result as unknown as { height: string };
    console.log(
      `${kills} kills, ${observed.accepted.size} seen accepted, height ${height}; restart to healthy: median ${median}, longest ${max}`,
    );
  },
  30_000 + kills * 5_000,
);

/** Starts the node; `took` is the time in milliseconds to its first healthy response. */
async function startHealthy(): Promise<{ program: Program; took: number }> {
  const started = performance.now();
  const program = await startProgram(`--data-dir=${dataDir}`);
  expect((await program.client.send('GET', '/ext/health')).status).toBe(200);
  return { program, took: performance.now() - started };
}

/** Kills a node at a random time of its start: while it creates keys, tables or genesis, or replays the write-ahead log. */
async function killWhileStarting(): Promise<void> {
  const child = Bun.spawn([...programCommand, '--accounts=0', '--http-port=0', '--silent', `--data-dir=${dataDir}`], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await Bun.sleep(random.below(220));
  child.kill('SIGKILL');
  await child.exited;
}

/** Kills a node under load, or while it is stopping under load: after a random number of answers, so that a slow machine gets as far as a fast one. */
async function killSoon(program: Program, stops: boolean): Promise<void> {
  const last = answers + random.below(120);
  for (let waited = 0; answers < last && waited < 30_000; waited++) await Bun.sleep(1);
  if (stops) {
    process.kill(program.pid, 'SIGTERM');
    await Bun.sleep(random.below(40));
  }
  await program.stop('SIGKILL');
}

function nextBatch(): Case[] {
  generator.reset();
  return Array.from({ length: batchSize }, generator.next).filter((one) => one !== undefined);
}

/** Issues batches of transactions over several connections until the node is killed; returns those whose outcome is unknown. */
async function loadUntil(port: number, first: Case[], killed: Promise<void>): Promise<Case[]> {
  const clients = Array.from({ length: connections }, () => createClient(port));
  let isKilled = false;
  void killed.then(() => {
    isKilled = true;
  });
  try {
    for (let batch = first; !isKilled; batch = nextBatch()) {
      const share = (i: number) => batch.filter((_, at) => at % connections === i);
      const undecided = await Promise.all(clients.map((client, i) => issueAll(client, share(i))));
      if (undecided.flat().length > 0) return undecided.flat();
    }
    return [];
  } finally {
    for (const client of clients) client.close();
  }
}

/** Issues transactions one by one, each until it is accepted; returns the rest if the node is killed. */
async function issueAll(client: Client, cases: readonly Case[]): Promise<Case[]> {
  for (const [i, one] of cases.entries()) {
    try {
      await issueOne(client, one);
    } catch (error) {
      if (!isDisconnect(error) && !(error instanceof StoppingNode)) throw error;
      return cases.slice(i);
    }
  }
  return [];
}

/** The node answered that it is stopping, or a reader process that its writer is gone: the outcome of the transaction is unknown. */
class StoppingNode extends Error {}

/** Answers to issueTx so far. */
let answers = 0;

const stoppingCodes: readonly unknown[] = ['NODE_STOPPING', 'RELAY_BUSY'];
const isStopping = (error: unknown): boolean => stoppingCodes.includes((error as { data?: { code?: unknown } } | undefined)?.data?.code);

async function issueOne(client: Client, one: Case): Promise<void> {
  const { error } = await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', one.bytes), encoding: 'hex' });
  answers++;
  if (isStopping(error)) throw new StoppingNode();
  if (one.expected !== 'either' && (error === undefined) !== (one.expected === 'accepted'))
    throw new Error(`${one.name}: expected ${one.expected}, got ${JSON.stringify(error ?? 'a txID')}`);
  if (error !== undefined) return;
  while ((await statusOf(client, one)) !== 'Accepted') await Bun.sleep(1);
  recordAccepted(one);
  const { result } = await client.call('/ext/bc/X', 'avm.getHeight');
  const height = BigInt((result as unknown as { height: string }).height);
  if (height > observed.height) observed.height = height;
}

function recordAccepted({ bytes }: Case): void {
  const tx = parseTx(bytes);
  if (observed.accepted.has(tx.id)) return;
  observed.accepted.add(tx.id);
  model.apply(tx);
}

/** After a restart: checks that observed transactions are there, and finds out which of the undecided ones were accepted. */
async function settle(client: Client, undecided: readonly Case[]): Promise<void> {
  const { result } = await client.call('/ext/bc/X', 'avm.getHeight');
  expect(BigInt((result as unknown as { height: string }).height)).toBeGreaterThanOrEqual(observed.height);
  for (const id of [...observed.accepted].slice(-20)) {
    const { result: shown, error } = await client.call('/ext/bc/X', 'avm.getTx', { txID: idText(id as never), encoding: 'hexnc' });
    expect([id, error]).toEqual([id, undefined]);
    expect(idOf(Buffer.from((shown as unknown as { tx: string }).tx.slice(2), 'hex'))).toBe(id as never);
  }
  for (const one of undecided) {
    if (observed.accepted.has(idOf(one.bytes)) || (await statusOf(client, one)) !== 'Accepted') continue;
    expect([one.name, one.expected]).toEqual([one.name, expect.stringMatching(/accepted|either/)]);
    recordAccepted(one);
  }
}

async function statusOf(client: Client, { bytes }: Case): Promise<string> {
  const { result, error } = await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(idOf(bytes)) });
  if (isStopping(error)) throw new StoppingNode();
  if (error !== undefined) throw new Error(error.message);
  return (result as unknown as { status: string }).status;
}

/** Splits funds into many outputs, so that a whole batch can be issued at once. */
async function fund(client: Client): Promise<void> {
  const pieces = Array.from({ length: 150 }, (_, i) => transfer(localChainParams.feeAsset, coin, ownedBy([wallet.keys[i % 7] as Key])));
  const tx = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, pieces));
  await issueOne(client, { name: 'split funds', bytes: tx.bytes, expected: 'accepted' });
}

/** Adds an output to import. Once the call succeeds, it must survive a kill too. */
async function deposit(client: Client): Promise<void> {
  const output = transfer(wallet.chainParams.feeAsset, BigInt(1 + random.below(1e9)), ownedBy([random.pick(wallet.keys)])).output;
  const utxo = makeUtxo(idOf(random.bytes(32)), 0, wallet.chainParams.feeAsset, output);
  const { error } = await client.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: 'C', utxo: formatHex('hex', utxo.bytes) });
  expect(error).toBeUndefined();
  deposits.push(utxo);
  model.deposit(cChain, utxo);
}

/** Checks a copy of the database, because opening the file itself would recover it before the node does. */
function checkFile(withReplay: boolean): void {
  const copy = join(folder, 'copy');
  rmSync(copy, { recursive: true, force: true });
  // The WAL files of keys.sqlite disappear when the last process that reads them exits.
  cpSync(join(dataDir, 'db'), copy, { recursive: true, filter: (path) => !path.includes('keys.sqlite') });
  const db = openDatabase(join(copy, 'serac.sqlite'), { readonly: false });
  try {
    expect(auditState(db)).toEqual([]);
    const { tx } = tablesOf(1);
    const stored = new Set(
      db
        .prepare<{ id: Uint8Array }>(`SELECT id FROM ${tx}`)
        .all()
        .map(({ id }) => toHex(id)),
    );
    expect([...observed.accepted].filter((id) => !stored.has(id))).toEqual([]);
    if (withReplay) expect(replayHash(db)).toBe(stateHash(db));
  } finally {
    db.close();
  }
}

/** Ids of unspent outputs in the database. After a clean stop they must equal those of the model. */
function unspentOnDisk(): string[] {
  const db = openDatabase(join(dataDir, 'db', 'serac.sqlite'), { readonly: false });
  const ids = unspentOutputs(db).map(({ id }) => id as string);
  db.close();
  return ids.sort();
}

/** The state hash of a fresh chain after it has executed every block. */
function replayHash(db: Database): string {
  let clock = 0n;
  const fresh = openLocalChain({ now: () => clock });
  for (const utxo of deposits) fresh.deposit(cChain, utxo);
  for (const bytes of readHistory(db).blocks.slice(1)) {
    const block = fresh.chain.parse(bytes);
    clock = block.time;
    fresh.chain.verify(block);
    fresh.chain.accept(block.id);
  }
  const hash = stateHash(fresh.store.db);
  fresh.close();
  return hash;
}

/** Whether the connection broke or the response was incomplete. */
const isDisconnect = (error: unknown): boolean =>
  error instanceof SyntaxError || ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes((error as { code?: string }).code ?? '');

const isEmpty = (list: readonly unknown[]): boolean => list.length === 0;
