import { afterAll, describe, expect, test } from 'bun:test';
import { formatHex, parseHex } from '../src/bytes/hex.ts';
import { type Id, idText } from '../src/bytes/id.ts';
import { openPostgres } from '../src/platform/postgres-bun.ts';
import { effectsOf } from '../src/tx/effects.ts';
import type { Tx } from '../src/tx/tx.ts';
import { parseUtxo, type Utxo } from '../src/tx/utxo.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { ask, chainRoot, type Json, plainAddress } from './data-questions.ts';
import type { Client } from './http.ts';
import { cChain, pChain } from './local-chain.ts';
import { platformImport } from './platform-export.ts';
import { eventually } from './processes.ts';
import { type Program, startIndexer, startProgram } from './program.ts';
import { hasServers, openServers, withServers } from './servers.ts';
import { createWallet, ewoq, ewoqGenesisUtxo, exportTx, type Key, localTerms, ownedBy, signed, transfer } from './wallet-kit.ts';

/** What a followed X-Chain exported, and the other chains took: no block of the X-Chain tells, so the node is asked. */

const wallet = createWallet('exports', { keys: [ewoq], count: 3 });
const [, sender, stranger] = wallet.keys as [Key, Key, Key];
const avax = 1_000_000_000n;

/** A node that runs all three chains, or seems to. */
type Network = {
  readonly url: string;
  readonly client: Client;
  /** The P-Chain imports some of what was exported to it. */
  readonly importOnP: (utxos: readonly Utxo[]) => Promise<void>;
};

/** Sends from the one large output of the genesis on, each time from what the last transaction left. */
function createSender({ client }: Network) {
  let funds: readonly Utxo[] = [ewoqGenesisUtxo];
  return async (to: Id, amounts: readonly bigint[], owner = sender): Promise<readonly Utxo[]> => {
    const outputs = amounts.map((amount) => transfer(localTerms.feeAsset, amount, ownedBy([owner])));
    const tx: Tx = signed(exportTx(wallet, { utxos: funds, change: ownedBy([ewoq]) }, to, outputs));
    const { error } = await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    expect(error).toBeUndefined();
    const status = async () =>
      (await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) })).result as unknown as { status: string };
    expect(await eventually(status, (one) => one.status === 'Accepted', patience)).toEqual({ status: 'Accepted' });
    const { created, exported } = effectsOf(tx);
    funds = created;
    return exported?.utxos ?? [];
  };
}

const balancesOf = async (client: Client, owner: Key) =>
  (await ask(client, { path: `${chainRoot}/balances?addresses=${plainAddress(owner)}` })) as Json;

const utxosOf = async (client: Client, owner: Key, more = '') =>
  (await ask(client, { path: `${chainRoot}/utxos?pageSize=100&addresses=${plainAddress(owner)}${more}` })).json.utxos as Json[];

const idsOf = (utxos: readonly { utxoId?: string; id?: Id }[]) => utxos.map(({ utxoId, id }) => utxoId ?? idText(id as Id)).sort();

/** As long as an answer about exports may be older than what happened on the other chain, and then some for a busy machine. */
const patience = 20_000;

const listed = (client: Client, owner: Key, expected: readonly Utxo[]) =>
  eventually(
    async () => idsOf(await utxosOf(client, owner)),
    (ids) => ids.join() === idsOf(expected).join(),
    patience,
  );

/** Whoever serves the network's X-Chain tells of exports until they are taken, and not after. */
async function tellsOfTaken(network: Network, send: ReturnType<typeof createSender>, client: Client): Promise<void> {
  const before = await utxosOf(client, sender);
  expect(before).toEqual([]);
  const toP = await send(pChain, [2n * avax, 3n * avax, 5n * avax]);
  const toC = await send(cChain, [7n * avax]);
  expect(await listed(client, sender, [...toP, ...toC])).toEqual(idsOf([...toP, ...toC]));
  const atomic = async () => {
    const { balances } = (await balancesOf(client, sender)).json;
    return Object.fromEntries(balances.atomicMemoryUnlocked.map((one: Json) => [one.sharedWithChainId, `${one.amount}/${one.utxoCount}`]));
  };
  expect(await atomic()).toEqual({ [idText(pChain)]: `${10n * avax}/3`, [idText(cChain)]: `${7n * avax}/1` });

  const [first, second, third] = toP as [Utxo, Utxo, Utxo];
  await network.importOnP([first, third]);
  expect(await listed(client, sender, [second, ...toC])).toEqual(idsOf([second, ...toC]));
  expect(await atomic()).toEqual({ [idText(pChain)]: `${avaxOf(second)}/1`, [idText(cChain)]: `${7n * avax}/1` });

  // They were there and are gone: consumed on the P-Chain, in a transaction that nobody here knows.
  const all = await utxosOf(client, sender, '&includeSpent=true');
  expect(idsOf(all)).toEqual(idsOf([...toP, ...toC]));
  for (const one of all) {
    const isGone = [first, third].some(({ id }) => idText(id) === one.utxoId);
    expect({ ...one, time: one.consumingTxTimestamp !== undefined }).toMatchObject({ time: isGone });
    expect(one.consumingTxHash).toBeUndefined();
    if (isGone) expect(one.consumedOnChainId).toBe(idText(pChain));
  }
  const tx = await ask(client, { path: `${chainRoot}/transactions/${idText(first.txID)}` });
  const gone = tx.json.emittedUtxos.filter(
    (one: Json) => one.consumingTxTimestamp !== undefined && one.consumedOnChainId === idText(pChain),
  );
  expect(idsOf(gone)).toEqual(idsOf([first, third]));

  await network.importOnP([second]);
  expect(await listed(client, sender, toC)).toEqual(idsOf(toC));
}

const avaxOf = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : 0n);

const servers = hasServers ? await openServers('serac_exports') : undefined;
afterAll(() => servers?.close());

const indexed = async (url: string) => {
  const database = `--database-url=${servers?.database}`;
  const indexer = startIndexer(url, database);
  const api = await startProgram('api', database);
  return { client: api.client, api, indexer, stop: () => Promise.all([api.stop(), indexer.stop()]) };
};

describe('a node that seems to run the other chains', () => {
  type Mood = 'well' | 'silent' | 'nonsense';

  /** A node of this program, and before it somebody who leaves out what was imported where it is asked for. */
  async function openNetwork() {
    const node = await startProgram('--network-id=local');
    const imported = new Set<Id>();
    const state = { mood: 'well' as Mood, lists: 0 };
    const front = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const body = await request.text();
        const { pathname } = new URL(request.url);
        const answer = await node.client.send('POST', pathname, { 'content-type': 'application/json' }, body);
        const headers = { 'content-type': 'application/json' };
        if (!/"(platform|avax)\.getUTXOs"/.test(body)) return new Response(answer.text, { status: answer.status, headers });
        state.lists++;
        if (state.mood === 'silent') return new Response('bootstrapping', { status: 503 });
        if (state.mood === 'nonsense') return new Response('<html>', { headers });
        const told = JSON.parse(answer.text);
        told.result.utxos = told.result.utxos.filter((text: string) => !imported.has(parseUtxo(parseHex('hex', text)).id));
        return Response.json(told);
      },
    });
    const url = `http://127.0.0.1:${front.port}`;
    const importOnP = async (utxos: readonly Utxo[]) => {
      for (const { id } of utxos) imported.add(id);
    };
    const stop = async () => {
      await front.stop(true);
      await node.stop();
    };
    return { url, client: node.client, importOnP, state, stop };
  }

  const failures = async (network: Awaited<ReturnType<typeof openNetwork>>, client: Client): Promise<void> => {
    const told = async () => {
      const { status, json } = await balancesOf(client, sender);
      return `${status} ${json.message ?? ''}`;
    };
    network.state.mood = 'silent';
    expect(await eventually(told, (text) => text.startsWith('503'), patience)).toMatch(
      /^503 The followed node is needed .* does not answer/,
    );
    network.state.mood = 'nonsense';
    expect(await eventually(told, (text) => text.startsWith('502'), patience)).toMatch(/^502 The followed node is needed .* nonsense/);
    // Who has no exports needs nobody.
    expect((await balancesOf(client, stranger)).status).toBe(200);
    network.state.mood = 'well';
    expect(await eventually(told, (text) => text.startsWith('200'), patience)).toBe('200 ');
  };

  test('serac follow', async () => {
    const network = await openNetwork();
    let follower: Program | undefined;
    try {
      follower = await startProgram('follow', network.url, '--workers=0');
      const send = createSender(network);
      await balancesOf(follower.client, stranger);
      expect(network.state.lists).toBe(0);
      await tellsOfTaken(network, send, follower.client);
      await failures(network, follower.client);
      // A transaction that nobody knows: the node's word.
      const { result } = await follower.client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(cChain) });
      expect(result as unknown).toEqual({ status: 'Unknown' });
    } finally {
      await follower?.stop();
      await network.stop();
    }
  }, 120_000);

  test.skipIf(servers === undefined)(
    withServers('serac index and serac api', hasServers),
    async () => {
      const network = await openNetwork();
      const { client, indexer, stop } = await indexed(network.url);
      const sql = openPostgres({ url: servers?.database as string });
      try {
        const send = createSender(network);
        await eventually(
          async () => (await balancesOf(client, stranger)).status,
          (status) => status === 200,
          patience,
        );
        expect(network.state.lists).toBe(0);
        const wanted = async () => (await sql.all<{ n: number }>('SELECT count(*) AS n FROM wanted', []))[0]?.n;
        expect(await wanted()).toBe(0);
        await tellsOfTaken(network, send, client);
        await failures(network, client);
        expect(await wanted()).toBe(1);

        // On a network older than its blocks every address is asked for, once.
        await sql.all('UPDATE progress SET complete_from = 1', []);
        const asked = async () => (await balancesOf(client, stranger)).json.historyCompleteFromBlock;
        expect(await eventually(asked, (from) => from === '1')).toBe('1');
        expect(await wanted()).toBe(2);
        await sql.all('UPDATE progress SET complete_from = 0', []);

        // Nobody is there to ask.
        await indexer.stop();
        const { status, json } = await eventually(
          () => balancesOf(client, sender),
          (answer) => answer.status === 503,
          patience * 2,
        );
        expect([status, json.message]).toEqual([503, expect.stringContaining('The process that indexes')]);
      } finally {
        await sql.close();
        await stop();
        await network.stop();
      }
    },
    180_000,
  );
});

const binary = process.env.AVALANCHEGO;

if (binary === undefined) console.log('left out: exports of AvalancheGo, because AVALANCHEGO does not name its binary');
else
  test('AvalancheGo: a real P-Chain imports', async () => {
    const node = await startAvalancheGo(binary);
    const { client } = node;
    const importOnP = async (utxos: readonly Utxo[]) => {
      const tx = formatHex('hex', platformImport(wallet, utxos));
      const { result, error } = await client.call('/ext/bc/P', 'platform.issueTx', { tx, encoding: 'hex' });
      expect(error).toBeUndefined();
      const { txID } = result as unknown as { txID: string };
      const status = async () => (await client.call('/ext/bc/P', 'platform.getTxStatus', { txID })).result as unknown as { status: string };
      expect(await eventually(status, (one) => one.status === 'Committed', patience)).toMatchObject({ status: 'Committed' });
    };
    const network = { url: node.url, client, importOnP };
    const send = createSender(network);
    let follower: Program | undefined;
    try {
      follower = await startProgram('follow', node.url, '--workers=0');
      await tellsOfTaken(network, send, follower.client);
    } finally {
      await follower?.stop();
      await node.stop();
    }
  }, 180_000);
