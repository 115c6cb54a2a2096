import { expect, test } from 'bun:test';
import { parseTx } from '../src/avm/tx/tx.ts';
import { type Address, createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { canonicalJson } from './exact-json.ts';
import type { Client } from './http.ts';
import type { LedgerModel } from './ledger-model.ts';
import { cChain, localModel, pChain } from './local-chain.ts';
import { platformExport } from './platform-export.ts';
import { startProgram } from './program.ts';
import { recordProof } from './proofs/proof.ts';
import { createRandom, type Random } from './random.ts';
import type { Case } from './random-world.ts';
import { createTxGenerator } from './tx-generator.ts';
import { createWallet, ewoq } from './wallet-kit.ts';

/** Issues the same transactions to AvalancheGo and to Serac. Every response must be identical, and so must the final state. */
const binary = process.env.AVALANCHEGO;
const count = Number(process.env.SERAC_DIFFERENTIAL_TXS ?? 1500);
const seed = Number(process.env.SERAC_SEED ?? 3);

const paths = { X: '/ext/bc/X', P: '/ext/bc/P', C: '/ext/bc/C/avax' } as const;
const wallet = createWallet('differential', { keys: [ewoq], count: 6 });
const formatAddress = {
  X: createAddressFormatter('X', 'local'),
  P: createAddressFormatter('P', 'local'),
  C: createAddressFormatter('C', 'local'),
};

if (binary === undefined) console.log('skipped: the comparison with AvalancheGo; set AVALANCHEGO to the path of its binary');
else
  test(`${count} random transactions, seed ${seed}: AvalancheGo and Serac agree on each`, async () => {
    const [avalanchego, serac] = await Promise.all([startAvalancheGo(binary), startProgram('--strict', '--log-level=warn')]);
    try {
      const model = localModel();
      const random = createRandom(seed);
      const page = await callOrThrow<{ utxos: string[] }>(avalanchego.client, paths.P, 'platform.getUTXOs', {
        addresses: [formatAddress.P(ewoq.address)],
      });
      const exported = platformExport(wallet, page.utxos, random);
      const tx = { tx: formatHex('hex', exported.bytes), encoding: 'hex' };
      await waitUntilAccepted(
        avalanchego.client,
        'P',
        (await callOrThrow<{ txID: string }>(avalanchego.client, paths.P, 'platform.issueTx', tx)).txID,
      );
      for (const utxo of exported.utxos) {
        model.deposit(pChain, utxo);
        await callOrThrow(serac.client, '/ext/dev', 'dev.addAtomicUTXO', { sourceChain: 'P', utxo: formatHex('hex', utxo.bytes) });
      }
      const answers = await issueAll([avalanchego.client, serac.client], model, random);
      const states = answers.length > 0 ? [] : await compareStates(avalanchego.client, serac.client, model);
      recordProof('differential-transactions', count, { seed, transactions: count }, [...answers, ...states]);
      expect([answers, states]).toEqual([[], []]);
    } finally {
      await Promise.all([avalanchego.stop(), serac.stop()]);
    }
  }, 3_600_000);

/** Issues to both, one by one or many at once; waits for acceptance before a transaction is generated that depends on it. */
async function issueAll(clients: readonly [Client, Client], model: LedgerModel, random: Random): Promise<string[]> {
  const now = () => BigInt(Math.floor(Date.now() / 1000));
  // A locktime that passes during the test would pass for one node before the other.
  const lockedUntil = () => now() + 1_000_000n + BigInt(random.below(1000));
  const generator = createTxGenerator({ random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holdsPending: false }, 60);
  const differences: string[] = [];
  const outcomes = new Map<string, number>();
  const both = (one: Case): Promise<[string, string]> => Promise.all([issue(clients[0], one), issue(clients[1], one)]);
  for (let issued = 0; issued < count; ) {
    generator.reset();
    const isBurst = random.below(3) === 0;
    const batch = Array.from({ length: isBurst ? 64 : 12 }, generator.next).filter((one) => one !== undefined);
    issued += batch.length;
    const responses = isBurst ? await Promise.all(batch.map(both)) : await mapSequentially(batch, both);
    const taken: Uint8Array[] = [];
    for (const [i, [avalanchego, serac]] of responses.entries()) {
      const one = batch[i] as Case;
      const outcome = outcomeOf(avalanchego);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (avalanchego !== serac || !isExpected(one, avalanchego))
        differences.push(
          `${one.name}\n${formatHex('hex', one.bytes)}\nexpected ${JSON.stringify(one.expected)}\navalanchego ${avalanchego}\nserac       ${serac}`,
        );
      // From here on the two states differ, and further differences would only follow from this one.
      if ((outcome === 'accepted') !== (outcomeOf(serac) === 'accepted')) return differences;
      if (outcome === 'accepted') taken.push(one.bytes);
    }
    for (const bytes of taken) {
      const tx = parseTx(bytes);
      for (const client of clients) await waitUntilAccepted(client, 'X', idText(tx.id));
      model.apply(tx);
    }
  }
  console.log(`${count} issued, ${outcomes.get('accepted')} accepted, ${outcomes.size - 1} different error messages`);
  return differences;
}

async function mapSequentially<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

const issue = async (client: Client, { bytes }: Case): Promise<string> => {
  const call = { jsonrpc: '2.0', id: 1, method: 'avm.issueTx', params: { tx: formatHex('hex', bytes), encoding: 'hex' } };
  return (await client.send('POST', paths.X, { 'content-type': 'application/json' }, JSON.stringify(call))).text;
};

/** `accepted`, or the error message without ids and numbers, so that outcomes of one kind are equal. */
function outcomeOf(response: string): string {
  const { error } = JSON.parse(response) as { error?: { message: string } };
  return error === undefined ? 'accepted' : error.message.replace(/[1-9A-HJ-NP-Za-km-z]{30,}|\d+/g, '*');
}

const isExpected = ({ expected }: Case, response: string): boolean =>
  expected === 'either' || (expected === 'accepted') === (outcomeOf(response) === 'accepted');

async function callOrThrow<T>(client: Client, path: string, method: string, params: object): Promise<T> {
  const { result, error } = await client.call(path, method, params);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T;
}

async function waitUntilAccepted(client: Client, chain: 'X' | 'P', txID: string): Promise<void> {
  const method = chain === 'X' ? 'avm.getTxStatus' : 'platform.getTxStatus';
  const until = performance.now() + 20_000;
  for (;;) {
    const { status } = await callOrThrow<{ status: string }>(client, paths[chain], method, { txID });
    if (status === 'Accepted' || status === 'Committed') return;
    if (performance.now() > until) throw new Error(`${txID} is ${status} after 20 s`);
    await Bun.sleep(2);
  }
}

/** Compares all state except blocks and orders: the two may have put transactions into different blocks. */
async function compareStates(avalanchego: Client, serac: Client, model: LedgerModel): Promise<string[]> {
  const differences: string[] = [];
  const compare = async (what: string, ask: (client: Client) => Promise<unknown>): Promise<void> => {
    const [theirs, ours] = (await Promise.all([ask(avalanchego), ask(serac)])).map(canonicalJson);
    if (theirs !== ours) differences.push(`${what}\navalanchego ${theirs?.slice(0, 2000)}\nserac       ${ours?.slice(0, 2000)}`);
  };
  const utxos = [...model.utxos.values()];
  const addresses = [...new Set(utxos.flatMap(({ output }) => output.addresses))];
  const owned = utxos.filter(({ output }) => output.addresses.length > 0).map(({ bytes }) => formatHex('hex', bytes));
  for (const client of [avalanchego, serac]) expect(await allUtxos(client, 'X', addresses)).toEqual(owned.sort());
  for (const [chain, id] of [['P', pChain] as const, ['C', cChain] as const]) {
    const sent = [...model.outbound(id).values()].flatMap(({ output }) => output.addresses);
    await compare(`getUTXOs on ${chain}`, (client) => allUtxos(client, chain, [...new Set(sent)]));
  }
  for (const address of addresses)
    for (const includePartial of [true, false])
      await compare(`getAllBalances of ${address}, partial ${includePartial}`, async (client) => {
        const params = { address: formatAddress.X(address), includePartial };
        const { balances } = await callOrThrow<{ balances: object[] }>(client, paths.X, 'avm.getAllBalances', params);
        return balances.map(canonicalJson).sort();
      });
  for (const assetID of [...model.assets.keys()].map(idText)) {
    await compare(`getAssetDescription of ${assetID}`, (client) => client.call(paths.X, 'avm.getAssetDescription', { assetID }));
    const address = formatAddress.X(ewoq.address);
    await compare(`getBalance of ${assetID}`, async (client) => {
      const { result, error } = await client.call(paths.X, 'avm.getBalance', { address, assetID, includePartial: true });
      const { balance, utxoIDs } = (result ?? { utxoIDs: [] }) as { balance?: string; utxoIDs: object[] };
      return { error, balance, utxoIDs: utxoIDs.map(canonicalJson).sort() };
    });
  }
  for (const tx of model.accepted)
    await compare(`getTx of ${idText(tx.id)}`, async (client) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'avm.getTx', params: { txID: idText(tx.id), encoding: 'json' } };
      return (await client.send('POST', paths.X, { 'content-type': 'application/json' }, JSON.stringify(call))).text;
    });
  return differences;
}

/** All pages as a sorted list without duplicates: AvalancheGo may list an output with several owners more than once. */
async function allUtxos(client: Client, chain: 'X' | 'P' | 'C', addresses: readonly Address[]): Promise<string[]> {
  const [method, sourceChain] = { X: ['avm.getUTXOs', ''], P: ['platform.getUTXOs', 'X'], C: ['avax.getUTXOs', 'X'] }[chain] as [
    string,
    string,
  ];
  const all = new Set<string>();
  for (const address of addresses) {
    let startIndex: { address: string; utxo: string } | undefined;
    for (let size = -1; size !== all.size; ) {
      size = all.size;
      const params = { addresses: [formatAddress[chain](address)], sourceChain, encoding: 'hex', ...(startIndex && { startIndex }) };
      const page = await callOrThrow<{ utxos: string[]; endIndex: { address: string; utxo: string } }>(
        client,
        paths[chain],
        method,
        params,
      );
      for (const utxo of page.utxos) all.add(utxo);
      startIndex = page.endIndex;
      if (page.utxos.length < 1024) break;
    }
  }
  return [...all].sort();
}
