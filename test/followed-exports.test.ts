import { afterAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, parseUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { compareHex } from '../src/base/bytes/octets.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { chainRoot, type Json, plainAddress, sendRequest } from './data-requests.ts';
import type { Client } from './http.ts';
import { cChain, pChain } from './local-chain.ts';
import { platformImport } from './platform-export.ts';
import { eventually } from './processes.ts';
import { type Program, startIndexer, startProgram } from './program.ts';
import { hasServers, openServers, suiteName } from './servers.ts';
import {
  createWallet,
  ewoq,
  ewoqGenesisUtxo,
  exportTx,
  importTx,
  type Key,
  localChainParams,
  ownedBy,
  signDraft,
  transfer,
} from './wallet-kit.ts';

/** Exports of a followed X-Chain that other chains import: no block of the X-Chain shows that, so the followed node is queried. */

const wallet = createWallet('exports', { keys: [ewoq], count: 3 });
const [, sender, otherKey, unasked] = wallet.keys as [Key, Key, Key, Key];
const avax = 1_000_000_000n;

/** A node that runs all three chains, or a fake of one. */
type Network = {
  readonly url: string;
  readonly client: Client;
  /** Imports exported outputs on the P-Chain. */
  readonly importOnP: (utxos: readonly Utxo[]) => Promise<void>;
};

/** Returns a function that exports amounts, starting from the large genesis output and then from the change of the last transaction. */
function createSender({ client }: Network) {
  let funds: readonly Utxo[] = [ewoqGenesisUtxo];
  return async (to: Id, amounts: readonly bigint[], owner = sender): Promise<readonly Utxo[]> => {
    const outputs = amounts.map((amount) => transfer(localChainParams.feeAsset, amount, ownedBy([owner])));
    const tx: Tx = signDraft(exportTx(wallet, { utxos: funds, change: ownedBy([ewoq]) }, to, outputs));
    const { error } = await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    expect(error).toBeUndefined();
    const status = async () =>
      (await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) })).result as unknown as { status: string };
    expect(await eventually(status, (one) => one.status === 'Accepted', timeout)).toEqual({ status: 'Accepted' });
    const { created, exported } = effectsOf(tx);
    funds = created;
    return exported?.utxos ?? [];
  };
}

const balancesOf = async (client: Client, owner: Key) =>
  (await sendRequest(client, { path: `${chainRoot}/balances?addresses=${plainAddress(owner)}` })) as Json;

const utxosOf = async (client: Client, owner: Key, more = '') =>
  (await sendRequest(client, { path: `${chainRoot}/utxos?pageSize=100&addresses=${plainAddress(owner)}${more}` })).json.utxos as Json[];

const idsOf = (utxos: readonly { utxoId?: string; id?: Id }[]) => utxos.map(({ utxoId, id }) => utxoId ?? idText(id as Id)).sort();

/** Milliseconds: more than the age that responses about exports may have, with reserve for a busy machine. */
const timeout = 20_000;

const waitForListed = (client: Client, owner: Key, expected: readonly Utxo[]) =>
  eventually(
    async () => idsOf(await utxosOf(client, owner)),
    (ids) => ids.join() === idsOf(expected).join(),
    timeout,
  );

/** Checks that a server lists exports as unspent until another chain imports them. */
async function checkImportedExports(network: Network, send: ReturnType<typeof createSender>, client: Client): Promise<void> {
  const before = await utxosOf(client, sender);
  expect(before).toEqual([]);
  const toP = await send(pChain, [2n * avax, 3n * avax, 5n * avax]);
  const toC = await send(cChain, [7n * avax]);
  expect(await waitForListed(client, sender, [...toP, ...toC])).toEqual(idsOf([...toP, ...toC]));
  const atomic = async () => {
    const { balances } = (await balancesOf(client, sender)).json;
    return Object.fromEntries(balances.atomicMemoryUnlocked.map((one: Json) => [one.sharedWithChainId, `${one.amount}/${one.utxoCount}`]));
  };
  expect(await atomic()).toEqual({ [idText(pChain)]: `${10n * avax}/3`, [idText(cChain)]: `${7n * avax}/1` });

  const [first, second, third] = toP as [Utxo, Utxo, Utxo];
  await network.importOnP([first, third]);
  expect(await waitForListed(client, sender, [second, ...toC])).toEqual(idsOf([second, ...toC]));
  expect(await atomic()).toEqual({ [idText(pChain)]: `${avaxOf(second)}/1`, [idText(cChain)]: `${7n * avax}/1` });

  // They are spent on the P-Chain, by a transaction that is unknown here.
  const all = await utxosOf(client, sender, '&includeSpent=true');
  expect(idsOf(all)).toEqual(idsOf([...toP, ...toC]));
  for (const one of all) {
    const isSpent = [first, third].some(({ id }) => idText(id) === one.utxoId);
    expect({ ...one, time: one.consumingTxTimestamp !== undefined }).toMatchObject({ time: isSpent });
    expect(one.consumingTxHash).toBeUndefined();
    if (isSpent) expect(one.consumedOnChainId).toBe(idText(pChain));
  }
  const tx = await sendRequest(client, { path: `${chainRoot}/transactions/${idText(first.txID)}` });
  const spent = tx.json.emittedUtxos.filter(
    (one: Json) => one.consumingTxTimestamp !== undefined && one.consumedOnChainId === idText(pChain),
  );
  expect(idsOf(spent)).toEqual(idsOf([first, third]));

  await network.importOnP([second]);
  expect(await waitForListed(client, sender, toC)).toEqual(idsOf(toC));
}

const getJson = async (client: Client, path: string): Promise<Json> => (await sendRequest(client, { path: `${chainRoot}${path}` })).json;

/** Checks responses about exports of an address whose balance nobody has asked for. Returns an export that is unspent. */
async function checkUnaskedExports(network: Network, send: ReturnType<typeof createSender>, client: Client): Promise<Utxo> {
  const [first, second, third] = (await send(pChain, [2n * avax, 3n * avax, 5n * avax], unasked)) as [Utxo, Utxo, Utxo];
  const outputOf = ({ id }: Utxo) => getJson(client, `/utxos/${idText(id)}`);
  await eventually(
    () => outputOf(first),
    ({ utxoId }) => utxoId === idText(first.id),
    timeout,
  );
  // A transaction is shown without a lookup.
  const emitted = async () => {
    const { emittedUtxos } = await getJson(client, `/transactions/${idText(first.txID)}`);
    return emittedUtxos.filter(({ consumedOnChainId }: Json) => consumedOnChainId === idText(pChain));
  };
  expect((await emitted()).map(({ mayBeImported }: Json) => mayBeImported)).toEqual([true, true, true]);
  expect(await outputOf(first)).not.toHaveProperty('mayBeImported');
  const toP = async () => {
    const { outbound } = await getJson(client, '/cross-chain/balances');
    return outbound.find(({ chainId }: Json) => chainId === idText(pChain));
  };
  const { utxoCount } = await toP();

  await network.importOnP([first]);
  const spent = await eventually(
    () => outputOf(first),
    ({ consumingTxTimestamp }) => consumingTxTimestamp !== undefined,
    timeout,
  );
  expect(spent).toMatchObject({ consumedOnChainId: idText(pChain), consumingTxTimestamp: expect.any(Number) });
  await network.importOnP([second]);
  const left = await eventually(toP, (one) => one.utxoCount === utxoCount - 2, timeout);
  expect(left).toMatchObject({ utxoCount: utxoCount - 2 });
  expect(left).not.toHaveProperty('mayBeImported');
  expect((await emitted()).map(({ mayBeImported }: Json) => mayBeImported)).toEqual([undefined, undefined, true]);
  // When the P-Chain imported an output is not known, so a balance of the past is marked.
  const { timestamp } = await outputOf(third);
  const { balances } = await getJson(client, `/balances?addresses=${plainAddress(unasked)}&blockTimestamp=${Number(timestamp) + 1}`);
  expect(balances.atomicMemoryUnlocked.map(({ mayBeImported }: Json) => mayBeImported)).toEqual([true]);
  return third;
}

/** Checks that while the node does not answer about other chains, an output and the sums of all exports are marked. */
async function checkMarked(client: Client, output: Utxo): Promise<void> {
  const isMarked = (one: Json) => one.mayBeImported === true;
  expect(await eventually(() => getJson(client, `/utxos/${idText(output.id)}`), isMarked, timeout)).toMatchObject({ mayBeImported: true });
  const outbound = async () => (await getJson(client, '/cross-chain/balances')).outbound;
  expect(await eventually(outbound, (all) => all.every(isMarked), timeout)).not.toBeEmpty();
}

const avaxOf = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : 0n);

const servers = hasServers ? await openServers('serac_exports') : undefined;
afterAll(() => servers?.close());

const startIndexed = async (url: string) => {
  const database = `--database-url=${servers?.database}`;
  const indexer = startIndexer(url, database);
  const api = await startProgram('api', database);
  return { client: api.client, api, indexer, stop: () => Promise.all([api.stop(), indexer.stop()]) };
};

// At the same time: each waits most of its time until an answer is old enough to be read again.
describe.concurrent('a node with fake P- and C-Chains', () => {
  type Behavior = 'well' | 'unavailable' | 'invalid';

  /** A Serac node behind a proxy that removes imported outputs from the listings of the P- and C-Chain. */
  async function openNetwork() {
    const node = await startProgram('--network-id=local');
    const imported = new Set<Id>();
    const state = { behavior: 'well' as Behavior, lists: 0 };
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
        if (state.behavior === 'unavailable') return new Response('bootstrapping', { status: 503 });
        if (state.behavior === 'invalid') return new Response('<html>', { headers });
        const response = JSON.parse(answer.text);
        response.result.utxos = response.result.utxos.filter((text: string) => !imported.has(parseUtxo(parseHex('hex', text)).id));
        return Response.json(response);
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

  /** While the node says nothing, or nonsense, about other chains, exports are marked, and everything else is as before. */
  const failures = async (network: Awaited<ReturnType<typeof openNetwork>>, client: Client, unspent: Utxo): Promise<void> => {
    const marks = async () => {
      const { status, json } = await balancesOf(client, sender);
      return `${status} ${json.balances?.atomicMemoryUnlocked.map(({ mayBeImported }: Json) => mayBeImported)}`;
    };
    for (const behavior of ['unavailable', 'invalid'] as const) {
      network.state.behavior = behavior;
      expect(await eventually(marks, (text) => text === '200 true', timeout)).toBe('200 true');
      await checkMarked(client, unspent);
      expect((await balancesOf(client, otherKey)).status).toBe(200);
      network.state.behavior = 'well';
      expect(await eventually(marks, (text) => text === '200 ', timeout)).toBe('200 ');
    }
  };

  test('imported outputs whose export is unknown are incomplete, not made up', async () => {
    const node = await startProgram('--network-id=local');
    let follower: Program | undefined;
    try {
      follower = await startProgram('follow', node.url, '--workers=0');
      const { client } = follower;
      const owners = [sender, otherKey].toSorted((a, b) => compareHex(a.address, b.address));
      const deposit = makeUtxo(pChain, 0, localChainParams.feeAsset, {
        kind: 'secp256k1fx.TransferOutput',
        amount: 9n * avax,
        locktime: 1n,
        threshold: 1,
        addresses: owners.map(({ address }) => address),
      });
      const issued = async (path: string, method: string, params: object) =>
        expect((await node.client.call(path, method, params)).error).toBeUndefined();
      await issued('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: 'P', utxo: formatHex('hex', deposit.bytes) });
      // One of two owners signs.
      const signing = { ...wallet, keys: [otherKey] };
      const tx = signDraft(importTx(signing, { utxos: [], change: ownedBy([unasked]), now: 2n }, pChain, [deposit]));
      await issued('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
      const read = (from: Client) => getJson(from, `/transactions/${idText(tx.id)}`);
      const isThere = (one: Json) => one.consumedUtxos !== undefined;
      const expected = await eventually(() => read(node.client), isThere, timeout);
      const shown = await eventually(() => read(client), isThere, timeout);
      const [{ utxoBytes, ...known }] = expected.consumedUtxos;
      expect([utxoBytes, known.addresses, known.locktime]).toEqual([formatHex('hex', deposit.bytes), owners.map(plainAddress), 1]);
      expect(shown).toEqual({
        ...expected,
        consumedUtxos: [{ ...known, isIncomplete: true, addresses: [plainAddress(otherKey)], locktime: 0, timestamp: shown.timestamp }],
      });
      const { transactions } = await getJson(client, `/transactions?addresses=${plainAddress(otherKey)}`);
      expect(transactions.map(({ txHash }: Json) => txHash)).toEqual([idText(tx.id)]);
    } finally {
      await follower?.stop();
      await node.stop();
    }
  });

  test('serac follow', async () => {
    const network = await openNetwork();
    let follower: Program | undefined;
    try {
      follower = await startProgram('follow', network.url, '--workers=0');
      const send = createSender(network);
      await balancesOf(follower.client, otherKey);
      expect(network.state.lists).toBe(0);
      await checkImportedExports(network, send, follower.client);
      await failures(network, follower.client, await checkUnaskedExports(network, send, follower.client));
      // An unknown transaction has the status that the node returns.
      const { result } = await follower.client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(cChain) });
      expect(result as unknown).toEqual({ status: 'Unknown' });
    } finally {
      await follower?.stop();
      await network.stop();
    }
  });

  test.skipIf(servers === undefined)(suiteName('serac index and serac api', hasServers), async () => {
    const network = await openNetwork();
    const { client, indexer, stop } = await startIndexed(network.url);
    const sql = openPostgres({ url: servers?.database as string });
    try {
      const send = createSender(network);
      await eventually(
        async () => (await balancesOf(client, otherKey)).status,
        (status) => status === 200,
        timeout,
      );
      expect(network.state.lists).toBe(0);
      const countResults = async () => (await sql.all<{ n: number }>('SELECT count(*) AS n FROM backfill_result', []))[0]?.n ?? 0;
      expect(await countResults()).toBe(0);
      await checkImportedExports(network, send, client);
      await failures(network, client, await checkUnaskedExports(network, send, client));
      const before = await countResults();
      expect(before).toBeGreaterThan(0);

      // On a network with pre-linearization history a backfill of every address is requested, once. Which network it is, a server reads once.
      await sql.all('UPDATE progress SET complete_from = 1', []);
      const later = await startProgram('api', `--database-url=${servers?.database}`);
      const completeFrom = async () => (await balancesOf(later.client, otherKey)).json.historyCompleteFromBlock;
      expect(await eventually(completeFrom, (from) => from === '1')).toBe('1');
      expect(await countResults()).toBe(before + 1);
      await later.stop();
      await sql.all('UPDATE progress SET complete_from = 0', []);

      // No indexer runs, so nobody processes requests.
      await indexer.stop();
      const { status, json } = await eventually(
        () => balancesOf(client, sender),
        (answer) => answer.json.balances?.atomicMemoryUnlocked[0]?.mayBeImported === true,
        timeout * 2,
      );
      expect([status, json.balances.atomicMemoryUnlocked.length]).toEqual([200, 1]);
    } finally {
      await sql.close();
      await stop();
      await network.stop();
    }
  });
});

const binary = process.env.AVALANCHEGO;

if (binary === undefined) console.log('skipped: exports of AvalancheGo; set AVALANCHEGO to the path of its binary');
else
  test('AvalancheGo: imports on a real P-Chain', async () => {
    const node = await startAvalancheGo(binary);
    const { client } = node;
    const importOnP = async (utxos: readonly Utxo[]) => {
      const tx = formatHex('hex', platformImport(wallet, utxos));
      const { result, error } = await client.call('/ext/bc/P', 'platform.issueTx', { tx, encoding: 'hex' });
      expect(error).toBeUndefined();
      const { txID } = result as unknown as { txID: string };
      const status = async () => (await client.call('/ext/bc/P', 'platform.getTxStatus', { txID })).result as unknown as { status: string };
      expect(await eventually(status, (one) => one.status === 'Committed', timeout)).toMatchObject({ status: 'Committed' });
    };
    const network = { url: node.url, client, importOnP };
    const send = createSender(network);
    let follower: Program | undefined;
    try {
      follower = await startProgram('follow', node.url, '--workers=0');
      await checkImportedExports(network, send, follower.client);
      await checkUnaskedExports(network, send, follower.client);
    } finally {
      await follower?.stop();
      await node.stop();
    }
  });
