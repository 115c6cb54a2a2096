import { expect, test } from 'bun:test';
import { type Address, addressWriter } from '../src/bytes/address.ts';
import { formatHex } from '../src/bytes/hex.ts';
import { idText } from '../src/bytes/id.ts';
import { parseTx } from '../src/tx/tx.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { canonical } from './exact-json.ts';
import { createGenerator } from './generator.ts';
import type { Client } from './http.ts';
import type { Model } from './ledger-model.ts';
import { cChain, localModel, pChain } from './local-chain.ts';
import { platformExport } from './platform-export.ts';
import { startProgram } from './program.ts';
import { createRandom, type Random } from './random.ts';
import type { Case } from './random-world.ts';
import { createWallet, ewoq } from './wallet-kit.ts';

/** The same transactions go to AvalancheGo and to Serac; every verdict must be the same, to the letter, and so must what is left. */
const binary = process.env.AVALANCHEGO;
const count = Number(process.env.SERAC_DIFFERENTIAL_TXS ?? 1500);
const seed = Number(process.env.SERAC_SEED ?? 3);

const paths = { X: '/ext/bc/X', P: '/ext/bc/P', C: '/ext/bc/C/avax' } as const;
const wallet = createWallet('differential', { keys: [ewoq], count: 6 });
const show = { X: addressWriter('X', 'local'), P: addressWriter('P', 'local'), C: addressWriter('C', 'local') };

if (binary === undefined) console.log('left out: the comparison with AvalancheGo, because AVALANCHEGO does not name its binary');
else
  test(`${count} random transactions, seed ${seed}: AvalancheGo and Serac agree on each`, async () => {
    const [peer, serac] = await Promise.all([startAvalancheGo(binary), startProgram('--strict', '--log-level=warn')]);
    try {
      const model = localModel();
      const random = createRandom(seed);
      const page = await called<{ utxos: string[] }>(peer.client, paths.P, 'platform.getUTXOs', { addresses: [show.P(ewoq.address)] });
      const exported = platformExport(wallet, page.utxos, random);
      const tx = { tx: formatHex('hex', exported.bytes), encoding: 'hex' };
      await untilAccepted(peer.client, 'P', (await called<{ txID: string }>(peer.client, paths.P, 'platform.issueTx', tx)).txID);
      for (const utxo of exported.utxos) {
        model.deposit(pChain, utxo);
        await called(serac.client, '/ext/dev', 'dev.addAtomicUTXO', { sourceChain: 'P', utxo: formatHex('hex', utxo.bytes) });
      }
      expect(await issueAll([peer.client, serac.client], model, random)).toEqual([]);
      expect(await compareStates(peer.client, serac.client, model)).toEqual([]);
    } finally {
      await Promise.all([peer.stop(), serac.stop()]);
    }
  }, 3_600_000);

/** Issues to both, one by one or many at once; what both took is accepted before anything is made that depends on it. */
async function issueAll(clients: readonly [Client, Client], model: Model, random: Random): Promise<string[]> {
  const now = () => BigInt(Math.floor(Date.now() / 1000));
  // A lock that opens while the test runs would open for one node before the other.
  const lockedUntil = () => now() + 1_000_000n + BigInt(random.below(1000));
  const generator = createGenerator({ random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holds: false }, 60);
  const differences: string[] = [];
  const verdicts = new Map<string, number>();
  const both = (one: Case): Promise<[string, string]> => Promise.all([issue(clients[0], one), issue(clients[1], one)]);
  for (let issued = 0; issued < count; ) {
    generator.settled();
    const isRush = random.below(3) === 0;
    const batch = Array.from({ length: isRush ? 64 : 12 }, generator.next).filter((one) => one !== undefined);
    issued += batch.length;
    const answers = isRush ? await Promise.all(batch.map(both)) : await inTurn(batch, both);
    const taken: Uint8Array[] = [];
    for (const [i, [peer, serac]] of answers.entries()) {
      const one = batch[i] as Case;
      const verdict = verdictOf(peer);
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      if (peer !== serac || !isExpected(one, peer))
        differences.push(
          `${one.name}\n${formatHex('hex', one.bytes)}\nexpected ${JSON.stringify(one.expected)}\npeer  ${peer}\nserac ${serac}`,
        );
      // From here on the two hold different ledgers, and every further difference would only repeat this one.
      if ((verdict === 'accepted') !== (verdictOf(serac) === 'accepted')) return differences;
      if (verdict === 'accepted') taken.push(one.bytes);
    }
    for (const bytes of taken) {
      const tx = parseTx(bytes);
      for (const client of clients) await untilAccepted(client, 'X', idText(tx.id));
      model.apply(tx);
    }
  }
  console.log(`${count} issued, ${verdicts.get('accepted')} accepted, ${verdicts.size - 1} different texts of refusal`);
  return differences;
}

async function inTurn<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

const issue = async (client: Client, { bytes }: Case): Promise<string> => {
  const call = { jsonrpc: '2.0', id: 1, method: 'avm.issueTx', params: { tx: formatHex('hex', bytes), encoding: 'hex' } };
  return (await client.send('POST', paths.X, { 'content-type': 'application/json' }, JSON.stringify(call))).text;
};

/** Accepted, or the text of the refusal with its ids and numbers left out: so many kinds of them there are. */
function verdictOf(answer: string): string {
  const { error } = JSON.parse(answer) as { error?: { message: string } };
  return error === undefined ? 'accepted' : error.message.replace(/[1-9A-HJ-NP-Za-km-z]{30,}|\d+/g, '*');
}

const isExpected = ({ expected }: Case, answer: string): boolean =>
  expected === 'either' || (expected === 'accepted') === (verdictOf(answer) === 'accepted');

async function called<T>(client: Client, path: string, method: string, params: object): Promise<T> {
  const { result, error } = await client.call(path, method, params);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T;
}

async function untilAccepted(client: Client, chain: 'X' | 'P', txID: string): Promise<void> {
  const method = chain === 'X' ? 'avm.getTxStatus' : 'platform.getTxStatus';
  const until = performance.now() + 20_000;
  for (;;) {
    const { status } = await called<{ status: string }>(client, paths[chain], method, { txID });
    if (status === 'Accepted' || status === 'Committed') return;
    if (performance.now() > until) throw new Error(`${txID} is ${status} after 20 s`);
    await Bun.sleep(2);
  }
}

/** Everything the ledgers can be asked for, blocks and orders aside: they may have cut blocks differently. */
async function compareStates(peer: Client, serac: Client, model: Model): Promise<string[]> {
  const differences: string[] = [];
  const compare = async (what: string, ask: (client: Client) => Promise<unknown>): Promise<void> => {
    const [theirs, ours] = (await Promise.all([ask(peer), ask(serac)])).map(canonical);
    if (theirs !== ours) differences.push(`${what}\npeer  ${theirs?.slice(0, 2000)}\nserac ${ours?.slice(0, 2000)}`);
  };
  const utxos = [...model.utxos.values()];
  const addresses = [...new Set(utxos.flatMap(({ output }) => output.addresses))];
  const owned = utxos.filter(({ output }) => output.addresses.length > 0).map(({ bytes }) => formatHex('hex', bytes));
  for (const client of [peer, serac]) expect(await allUtxos(client, 'X', addresses)).toEqual(owned.sort());
  for (const [chain, id] of [['P', pChain] as const, ['C', cChain] as const]) {
    const sent = [...model.outbound(id).values()].flatMap(({ output }) => output.addresses);
    await compare(`getUTXOs on ${chain}`, (client) => allUtxos(client, chain, [...new Set(sent)]));
  }
  for (const address of addresses)
    for (const includePartial of [true, false])
      await compare(`getAllBalances of ${address}, partial ${includePartial}`, async (client) => {
        const params = { address: show.X(address), includePartial };
        const { balances } = await called<{ balances: object[] }>(client, paths.X, 'avm.getAllBalances', params);
        return balances.map(canonical).sort();
      });
  for (const assetID of [...model.assets.keys()].map(idText)) {
    await compare(`getAssetDescription of ${assetID}`, (client) => client.call(paths.X, 'avm.getAssetDescription', { assetID }));
    const address = show.X(ewoq.address);
    await compare(`getBalance of ${assetID}`, async (client) => {
      const { result, error } = await client.call(paths.X, 'avm.getBalance', { address, assetID, includePartial: true });
      const { balance, utxoIDs } = (result ?? { utxoIDs: [] }) as { balance?: string; utxoIDs: object[] };
      return { error, balance, utxoIDs: utxoIDs.map(canonical).sort() };
    });
  }
  for (const tx of model.accepted)
    await compare(`getTx of ${idText(tx.id)}`, async (client) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'avm.getTx', params: { txID: idText(tx.id), encoding: 'json' } };
      return (await client.send('POST', paths.X, { 'content-type': 'application/json' }, JSON.stringify(call))).text;
    });
  return differences;
}

/** Every page, as a sorted list: the peer may list one that several of the addresses own more than once. */
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
      const params = { addresses: [show[chain](address)], sourceChain, encoding: 'hex', ...(startIndex && { startIndex }) };
      const page = await called<{ utxos: string[]; endIndex: { address: string; utxo: string } }>(client, paths[chain], method, params);
      for (const utxo of page.utxos) all.add(utxo);
      startIndex = page.endIndex;
      if (page.utxos.length < 1024) break;
    }
  }
  return [...all].sort();
}
