import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { type Client, createClient } from './http.ts';
import { childrenOf, eventually, processesMatching, socketsOf } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Number of reader processes. They share the port with the writer; the kernel picks a process for every new connection. */
const readers = 2;
const coin = 1_000_000_000n;
const wallet = createWallet('workers', { keys: [ewoq], count: 40 });
const owners = wallet.keys.slice(1);
const formatAddress = createAddressFormatter('X', 'local');
const dataDir = mkdtempSync(join(tmpdir(), 'serac-workers-'));
let program: Program;

beforeAll(async () => {
  process.env.SERAC_READER_TEST_ROLE = 'reader';
  program = await startProgram(`--workers=${readers}`, `--data-dir=${dataDir}`);
  delete process.env.SERAC_READER_TEST_ROLE;
});
afterAll(async () => {
  await program.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a variable with the prefix SERAC_READER_ is set in readers only', () => {
  const roleOf = (pid: number) => /^TEST_ROLE=(.*)$/m.exec(readFileSync(`/proc/${pid}/environ`, 'utf8').replaceAll('\0', '\n'))?.[1];
  expect(childrenOf(program.pid).map(roleOf)).toEqual(Array(readers).fill('reader'));
  expect(roleOf(program.pid)).toBeUndefined();
});

test('connections are spread over all processes', async () => {
  const processes = [program.pid, ...childrenOf(program.pid)];
  expect(processes).toHaveLength(1 + readers);
  // Readers begin to listen shortly after the node reports ready.
  const opened = await eventually(
    () => connectionsOf(processes),
    (counts) => !counts.includes(0),
  );
  expect(opened).not.toContain(0);
});

test('a status that a reader asks the writer for is counted as one call', async () => {
  const txID = idText(localChainParams.blockchainID);
  for (let i = 0; i < 24; i++)
    expect(await onNewConnection((client) => client.call('/ext/bc/X', 'avm.getTxStatus', { txID }))).toMatchObject({
      result: { status: 'Unknown' },
    });
  const countCalls = async (): Promise<number> => {
    const { text } = await onNewConnection((client) => client.send('GET', '/ext/metrics'));
    return Number(/^serac_api_requests_total\{.*"avm\.getTxStatus",outcome="ok"\} (\d+)$/m.exec(text)?.[1]);
  };
  // The counts of a reader that does not answer in time come later.
  expect(await eventually(countCalls, (count) => count >= 24)).toBe(24);
});

/** The highest height in any response so far. */
let highest = 0n;

/** The only output of each owner. */
const utxoByOwner = new Map<Key, Utxo>();

test('the first transaction funds all owners', async () => {
  const outputs = owners.map((owner) => transfer(localChainParams.feeAsset, 10n * coin, ownedBy([owner])));
  const tx = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, outputs));
  await issueAndWait(tx);
  for (const utxo of effectsOf(tx).created) {
    const owner = owners.find(({ address }) => utxo.output.addresses.includes(address));
    if (owner !== undefined) utxoByOwner.set(owner, utxo);
  }
  expect(utxoByOwner.size).toBe(owners.length);
});

test('after a transaction was seen as accepted, every later call to any process sees it', async () => {
  await Promise.all(
    owners.map(async (owner) => {
      for (let i = 0; i < 3; i++) {
        const tx = nextTx(owner);
        await issueAndWait(tx);
        await Promise.all(Array.from({ length: 4 }, () => onNewConnection((client) => expectSeen(client, owner, tx))));
      }
    }),
  );
});

test('a killed reader process is replaced, and no transaction is lost', async () => {
  const [victim] = childrenOf(program.pid);
  const before = childrenOf(program.pid);
  const moves = owners.map((owner) => ({ owner, tx: nextTx(owner) }));
  const issuing = moves.map(({ tx }) => issueAndWait(tx));
  process.kill(victim as number, 'SIGKILL');
  await Promise.all(issuing);
  const after = await eventually(
    () => childrenOf(program.pid),
    (pids) => pids.length === readers && !pids.includes(victim as number),
  );
  expect(after).toHaveLength(readers);
  expect(after.filter((pid) => before.includes(pid))).toHaveLength(readers - 1);
  await Promise.all(moves.map(({ owner, tx }) => onNewConnection((client) => expectSeen(client, owner, tx))));
});

test('SIGTERM stops all processes', async () => {
  expect(await program.stop()).toBe(0);
  expect(
    await eventually(
      () => processesMatching(dataDir),
      (pids) => pids.length === 0,
    ),
  ).toEqual([]);
});

/** How many of 48 new connections each process got. */
async function connectionsOf(processes: readonly number[]): Promise<number[]> {
  const before = processes.map(socketsOf);
  const clients = Array.from({ length: 48 }, () => createClient(program.port));
  await Promise.all(clients.map((client) => client.call('/ext/bc/X', 'avm.getHeight')));
  const opened = processes.map((pid, i) => socketsOf(pid) - (before[i] as number));
  for (const client of clients) client.close();
  return opened.map((count) => Math.max(0, count));
}

/** A transaction in which an owner sends all its funds to itself, minus the fee. */
function nextTx(owner: Key): Tx {
  const utxo = utxoByOwner.get(owner) as Utxo;
  const { amount } = utxo.output as Extract<Utxo['output'], { amount: bigint }>;
  const tx = signDraft(
    baseTx(wallet, { utxos: [utxo] }, [transfer(localChainParams.feeAsset, amount - localChainParams.txFee, ownedBy([owner]))]),
  );
  utxoByOwner.set(owner, effectsOf(tx).created[0] as Utxo);
  return tx;
}

/** Issues a transaction and waits until it is accepted. Every call uses a new connection, so that any process may get it. */
async function issueAndWait(tx: Tx): Promise<void> {
  const params = { tx: formatHex('hex', tx.bytes), encoding: 'hex' };
  const { error } = await onNewConnection((client) => client.call('/ext/bc/X', 'avm.issueTx', params));
  expect(error).toBeUndefined();
  const ask = () => onNewConnection((client) => client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) }));
  const answer = await eventually(ask, ({ result }) => statusIn(result) === 'Accepted');
  expect(statusIn(answer.result)).toBe('Accepted');
}

async function expectSeen(client: Client, owner: Key, tx: Tx): Promise<void> {
  const call = async <T>(method: string, params: object) => (await client.call('/ext/bc/X', `avm.${method}`, params)).result as T;
  const txID = idText(tx.id);
  const address = formatAddress(owner.address);
  const utxo = utxoByOwner.get(owner) as Utxo;
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

/** Retries if the connection is reset, because killing a process closes its connections. */
async function onNewConnection<T>(ask: (client: Client) => Promise<T>, again = 3): Promise<T> {
  const client = createClient(program.port);
  try {
    return await ask(client);
  } catch (error) {
    if (again === 0 || (error as { code?: string }).code !== 'ECONNRESET') throw error;
    return onNewConnection(ask, again - 1);
  } finally {
    client.close();
  }
}
