import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressWriter } from '../src/bytes/address.ts';
import { formatHex } from '../src/bytes/hex.ts';
import { idText } from '../src/bytes/id.ts';
import { effectsOf } from '../src/tx/effects.ts';
import type { Tx } from '../src/tx/tx.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { type Client, createClient } from './http.ts';
import { childrenOf, eventually, processesWith, socketsOf } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localTerms, ownedBy, signed, transfer } from './wallet-kit.ts';

/** One process writes, two read beside it on the same port; the kernel picks one for every new connection. */
const readers = 2;
const coin = 1_000_000_000n;
const wallet = createWallet('workers', { keys: [ewoq], count: 40 });
const owners = wallet.keys.slice(1);
const show = addressWriter('X', 'local');
const dataDir = mkdtempSync(join(tmpdir(), 'serac-workers-'));
let program: Program;

beforeAll(async () => {
  program = await startProgram(`--workers=${readers}`, `--data-dir=${dataDir}`);
});
afterAll(async () => {
  await program.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The greatest height anyone was told so far. */
let highest = 0n;

/** Everyone's only output, after each step of the tests. */
const held = new Map<Key, Utxo>();

test('the first transaction funds everyone', async () => {
  const outputs = owners.map((owner) => transfer(localTerms.feeAsset, 10n * coin, ownedBy([owner])));
  const tx = signed(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, outputs));
  await issuedAndAccepted(tx);
  for (const utxo of effectsOf(tx).created) {
    const owner = owners.find(({ address }) => utxo.output.addresses.includes(address));
    if (owner !== undefined) held.set(owner, utxo);
  }
  expect(held.size).toBe(owners.length);
});

test('connections are spread over all processes', async () => {
  const processes = [program.pid, ...childrenOf(program.pid)];
  expect(processes).toHaveLength(1 + readers);
  // Readers begin to listen a moment after the node has called itself ready.
  const opened = await eventually(
    () => connectionsOf(processes),
    (counts) => !counts.includes(0),
  );
  expect(opened).not.toContain(0);
});

test('whoever saw a transaction accepted sees it on every later call, whichever process answers', async () => {
  await Promise.all(
    owners.map(async (owner) => {
      for (let i = 0; i < 3; i++) {
        const tx = moveOn(owner);
        await issuedAndAccepted(tx);
        await Promise.all(Array.from({ length: 4 }, () => onFreshConnection((client) => expectSeen(client, owner, tx))));
      }
    }),
  );
}, 60_000);

test('a reading process that is killed is replaced, and nothing is lost with it', async () => {
  const [victim] = childrenOf(program.pid);
  const before = childrenOf(program.pid);
  const moves = owners.map((owner) => ({ owner, tx: moveOn(owner) }));
  const issuing = moves.map(({ tx }) => issuedAndAccepted(tx));
  process.kill(victim as number, 'SIGKILL');
  await Promise.all(issuing);
  const after = await eventually(
    () => childrenOf(program.pid),
    (pids) => pids.length === readers && !pids.includes(victim as number),
  );
  expect(after).toHaveLength(readers);
  expect(after.filter((pid) => before.includes(pid))).toHaveLength(readers - 1);
  await Promise.all(moves.map(({ owner, tx }) => onFreshConnection((client) => expectSeen(client, owner, tx))));
}, 60_000);

test('SIGTERM stops all of them', async () => {
  expect(await program.stop()).toBe(0);
  expect(
    await eventually(
      () => processesWith(dataDir),
      (pids) => pids.length === 0,
    ),
  ).toEqual([]);
});

/** How many of a lot of new connections each of the processes got. */
async function connectionsOf(processes: readonly number[]): Promise<number[]> {
  const before = processes.map(socketsOf);
  const clients = Array.from({ length: 48 }, () => createClient(program.port));
  await Promise.all(clients.map((client) => client.call('/ext/bc/X', 'avm.getHeight')));
  const opened = processes.map((pid, i) => socketsOf(pid) - (before[i] as number));
  for (const client of clients) client.close();
  return opened.map((count) => Math.max(0, count));
}

/** The next step of someone's chain: all they have to themselves, less the fee. */
function moveOn(owner: Key): Tx {
  const utxo = held.get(owner) as Utxo;
  const { amount } = utxo.output as Extract<Utxo['output'], { amount: bigint }>;
  const tx = signed(baseTx(wallet, { utxos: [utxo] }, [transfer(localTerms.feeAsset, amount - localTerms.txFee, ownedBy([owner]))]));
  held.set(owner, effectsOf(tx).created[0] as Utxo);
  return tx;
}

/** Every call on a connection of its own, so that any process may get it. */
async function issuedAndAccepted(tx: Tx): Promise<void> {
  const params = { tx: formatHex('hex', tx.bytes), encoding: 'hex' };
  const { error } = await onFreshConnection((client) => client.call('/ext/bc/X', 'avm.issueTx', params));
  expect(error).toBeUndefined();
  const ask = () => onFreshConnection((client) => client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) }));
  const answer = await eventually(ask, ({ result }) => statusIn(result) === 'Accepted');
  expect(statusIn(answer.result)).toBe('Accepted');
}

async function expectSeen(client: Client, owner: Key, tx: Tx): Promise<void> {
  const call = async <T>(method: string, params: object) => (await client.call('/ext/bc/X', `avm.${method}`, params)).result as T;
  const txID = idText(tx.id);
  const address = show(owner.address);
  const utxo = held.get(owner) as Utxo;
  const least = highest;
  const height = BigInt((await call<{ height: string }>('getHeight', {})).height);
  expect(height).toBeGreaterThanOrEqual(least);
  if (height > highest) highest = height;
  expect(await call<unknown>('getTx', { txID })).toEqual({ tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  expect(await call<unknown>('getTxStatus', { txID })).toEqual({ status: 'Accepted' });
  expect((await call<{ utxos: string[] }>('getUTXOs', { addresses: [address] })).utxos).toEqual([formatHex('hex', utxo.bytes)]);
  expect(await call<unknown>('getBalance', { address, assetID: 'AVAX' })).toEqual({
    balance: String((utxo.output as Extract<Utxo['output'], { amount: bigint }>).amount),
    utxoIDs: [{ txID, outputIndex: 0 }],
  });
}

const statusIn = (result: unknown): string | undefined => (result as { status?: string } | undefined)?.status;

/** A process that is killed takes its open connections with it; a caller then asks again. */
async function onFreshConnection<T>(ask: (client: Client) => Promise<T>, again = 3): Promise<T> {
  const client = createClient(program.port);
  try {
    return await ask(client);
  } catch (error) {
    if (again === 0 || (error as { code?: string }).code !== 'ECONNRESET') throw error;
    return onFreshConnection(ask, again - 1);
  } finally {
    client.close();
  }
}
