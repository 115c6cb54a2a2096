import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Tx } from '../src/avm/tx/tx.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { chainRoot, type Json, plainAddress, sendRequest } from './data-requests.ts';
import type { Client } from './http.ts';
import { pChain } from './local-chain.ts';
import { eventually } from './processes.ts';
import { type Indexer, type Program, startIndexer, startProgram } from './program.ts';
import { hasServers, openServers, suiteName } from './servers.ts';
import { createWallet, ewoq, ewoqGenesisUtxo, exportTx, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** What `serac api` and a follower answer while the indexer or the followed node is dead or frozen: what the database has, at once. */

const wallet = createWallet('silent source', { keys: [ewoq], count: 20 });
const [, ...owners] = wallet.keys as [Key, ...Key[]];

/** Exports an output of each owner to the P-Chain. */
async function exportToAll({ client }: Program): Promise<void> {
  const outputs = owners.map((owner) => transfer(localChainParams.feeAsset, 1_000_000n, ownedBy([owner])));
  const tx: Tx = signDraft(exportTx(wallet, { utxos: [ewoqGenesisUtxo], change: ownedBy([ewoq]) }, pChain, outputs));
  const { error } = await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  expect(error).toBeUndefined();
  const status = async () => (await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) })).result as unknown as Json;
  await eventually(status, (one) => one.status === 'Accepted');
}

type Answer = { readonly status: number; readonly mark: unknown; readonly age: number; readonly milliseconds: number };

/** Asks for balances and outputs of all owners, one request after the other; the order differs, so that no answer is a cached one. */
async function askAll(client: Client): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const owner of owners)
    for (const list of ['balances', 'utxos']) {
      const start = performance.now();
      const { status, json, headers } = await sendRequest(client, { path: `${chainRoot}/${list}?addresses=${plainAddress(owner)}` });
      const [found] = list === 'utxos' ? (json.utxos ?? []) : (json.balances?.atomicMemoryUnlocked ?? []);
      answers.push({
        status,
        mark: found?.mayBeImported,
        age: Number(headers['x-serac-data-age']),
        milliseconds: performance.now() - start,
      });
    }
  return answers;
}

/**
 * Asks until all answers are marked: what was found out in the last seconds holds. Every answer must be there, and the server may wait for the
 * silent side about once: a wait of a second for each would be 38 s.
 */
async function expectMarked(client: Client): Promise<void> {
  const all: Answer[] = [];
  const ask = async () => {
    const answers = await askAll(client);
    all.push(...answers);
    return answers.filter(({ mark }) => mark !== true);
  };
  await eventually(ask, (unmarked) => unmarked.every(({ status }) => status !== 200));
  if (process.env.SERAC_TEST_FIGURES !== undefined) console.log(describeAnswers(all));
  expect(all.filter(({ status }) => status !== 200)).toEqual([]);
  expect(all.filter(({ milliseconds }) => milliseconds > 800).length).toBeLessThanOrEqual(3);
}

function describeAnswers(answers: readonly Answer[]): string {
  const times = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const refused = answers.filter(({ status }) => status !== 200).length;
  return `${refused} of ${answers.length} refused, median ${times[times.length >> 1]?.toFixed(0)} ms, longest ${times.at(-1)?.toFixed(0)} ms`;
}

const isUnmarked = (answers: readonly Answer[]): boolean => answers.every(({ status, mark }) => status === 200 && mark === undefined);
const statusOf = async (client: Client, path: string): Promise<number> => (await client.send('GET', path)).status;

/** Waits until the health check fails, and checks that the server is ready meanwhile and says how old its data is. */
async function expectUnhealthy(client: Client): Promise<void> {
  const check = () => sendRequest(client, { path: '/v1/health-check' });
  const { json } = await eventually(check, ({ status }) => status === 503, 60_000);
  expect(json.details).toMatchObject({ database: { status: 'up' }, index: { status: 'down' } });
  expect([await statusOf(client, '/ready'), await statusOf(client, '/v1/live-check')]).toEqual([200, 200]);
  const { status, headers } = await sendRequest(client, { path: `${chainRoot}/blocks` });
  expect([status, Number(headers['x-serac-data-age']) > 1]).toEqual([200, true]);
}

const expectHealthy = (client: Client) =>
  eventually(
    () => statusOf(client, '/v1/health-check'),
    (status) => status === 200,
    60_000,
  );

describe.skipIf(!hasServers)(suiteName('serac api', hasServers), () => {
  let servers: Awaited<ReturnType<typeof openServers>>;
  let node: Program;
  let indexer: Indexer;
  let api: Program;
  const databaseFlag = () => `--database-url=${servers.database}`;
  beforeAll(async () => {
    servers = await openServers('serac_silent');
    node = await startProgram('--network-id=local');
    await exportToAll(node);
    indexer = startIndexer(node.url, databaseFlag());
    api = await startProgram('api', databaseFlag());
    await eventually(() => askAll(api.client), isUnmarked, 60_000);
  });
  afterAll(async () => {
    await Promise.all([api.stop(), indexer.stop('SIGKILL'), node.stop()]);
    await servers.close();
  });

  test('answers while the node is frozen', async () => {
    process.kill(node.pid, 'SIGSTOP');
    try {
      await expectMarked(api.client);
      await expectUnhealthy(api.client);
      await expectMarked(api.client);
    } finally {
      process.kill(node.pid, 'SIGCONT');
    }
    await eventually(() => askAll(api.client), isUnmarked, 60_000);
    await expectHealthy(api.client);
  });

  test('answers while the indexer is frozen, and while it is dead', async () => {
    process.kill(indexer.pid, 'SIGSTOP');
    await expectMarked(api.client);
    await expectUnhealthy(api.client);
    process.kill(indexer.pid, 'SIGCONT');
    await eventually(() => askAll(api.client), isUnmarked, 60_000);
    await expectHealthy(api.client);
    await indexer.stop('SIGKILL');
    await expectMarked(api.client);
    await expectUnhealthy(api.client);
    indexer = startIndexer(node.url, databaseFlag());
    await eventually(() => askAll(api.client), isUnmarked, 60_000);
    await expectHealthy(api.client);
  });
});

test('a follower answers while its node is frozen, and is ready', async () => {
  const node = await startProgram('--network-id=local');
  let follower: Program | undefined;
  try {
    await exportToAll(node);
    follower = await startProgram('follow', node.url, '--workers=0');
    const { client } = follower;
    await eventually(() => askAll(client), isUnmarked, 60_000);
    process.kill(node.pid, 'SIGSTOP');
    await expectMarked(client);
    await expectUnhealthy(client);
    process.kill(node.pid, 'SIGCONT');
    await eventually(() => askAll(client), isUnmarked, 60_000);
    await expectHealthy(client);
  } finally {
    process.kill(node.pid, 'SIGCONT');
    await follower?.stop();
    await node.stop();
  }
});
