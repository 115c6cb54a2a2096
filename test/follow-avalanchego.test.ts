import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, addressWriter } from '../src/bytes/address.ts';
import { formatHex, toHex } from '../src/bytes/hex.ts';
import type { Remote, UtxoCursor } from '../src/follow/remote.ts';
import { patient } from '../src/follow/retrying-remote.ts';
import type { ChainState } from '../src/state/chain-state.ts';
import { effectsOf } from '../src/tx/effects.ts';
import { makeTx, parseTx, type Tx } from '../src/tx/tx.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { type AvalancheGo, startAvalancheGo } from './avalanchego.ts';
import { contractExport, ewoqAccount } from './contract-export.ts';
import { type FollowedChain, followLocal, localExpectation, problemsOf, realTiming, remoteAt } from './followed-chain.ts';
import { createGenerator } from './generator.ts';
import { cChain, localModel, pChain } from './local-chain.ts';
import { platformExport } from './platform-export.ts';
import { eventually } from './processes.ts';
import { createRandom } from './random.ts';
import { baseTx, createWallet, ewoq, localTerms, ownedBy, signed, transfer } from './wallet-kit.ts';

/** A real AvalancheGo is followed: from its first block on, through its death and return, and what is older than its blocks. */
const binary = process.env.AVALANCHEGO;
const many = Number(process.env.SERAC_FOLLOW_TXS ?? 3000);
const seed = Number(process.env.SERAC_SEED ?? 3);

const folder = mkdtempSync(join(tmpdir(), 'serac-follow-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = createRandom(seed);
const wallet = createWallet('followed', { keys: [ewoq], count: 5 });
const show = { P: addressWriter('P', 'local') };

if (binary === undefined) console.log('left out: following AvalancheGo, because AVALANCHEGO does not name its binary');
else
  test(`AvalancheGo is followed, seed ${seed}`, async () => {
    const node = await startAvalancheGo(binary);
    const remote = patient(remoteAt(node.url), { timing: realTiming, signal: new AbortController().signal });
    const path = join(folder, 'chain.sqlite');
    const chains: FollowedChain[] = [];
    const follow = (...args: Parameters<typeof followLocal>) => {
      const chain = followLocal(...args);
      chains.push(chain);
      return chain;
    };
    try {
      const world = await openWorld(node, remote);

      // From the first block on, while more are made; every kind of transaction, exports of P and C among what it imports.
      const first = follow(node.url, { path });
      await world.issue(250);
      await level(first, remote);
      await expectSame(first, remote, world.addresses());
      expect(world.accepted('ImportTx')).toBeGreaterThan(2);
      expect(world.importedFrom()).toEqual(new Set([pChain, cChain]));
      expect(world.accepted('ExportTx')).toBeGreaterThan(0);
      expect(first.follower.status()).toMatchObject({ state: 'live', untoldImports: 0, behindSeconds: 0 });

      // A block is here within a second of its acceptance.
      const lag = await world.issueAndWait(() => first.state);
      expect(lag).toBeLessThan(1000);

      // What the node refuses it refuses in its own words.
      const foreign = makeTx({ ...(world.last() as Tx).unsigned, networkID: 1 }, (world.last() as Tx).credentials);
      const refused = await first.follower.issue(foreign).catch((error) => error);
      expect([refused.fault.code, refused.message]).toEqual(['FOLLOW_REFUSED', expect.stringContaining('wrong network ID')]);

      // It dies and comes back; so do we.
      await node.kill();
      await eventually(
        () => first.follower.status().state,
        (state) => state === 'waiting',
      );
      node.restart();
      await eventually(
        () => first.follower.status().state,
        (state) => state === 'live',
        60_000,
      );
      await world.issue(60);
      await first.close();
      await world.issue(60);
      const second = follow(node.url, { path });
      await level(second, remote);
      await expectSame(second, remote, world.addresses());
      expect(second.state.height()).toBe(await remote.height());

      // A node of another network is refused.
      const stranger = follow(node.url, { expect: { ...localExpectation(), networkID: 5 } });
      const why = await stranger.follower.ready.catch((error) => error);
      expect([why.fault.code, why.message]).toEqual(['FOLLOW_OTHER_NETWORK', 'the followed node is of network 12345, not of network 5']);

      // As on a network older than its blocks: outputs of the genesis are fetched by their transaction, addresses are completed.
      const issued = await world.rush(many);
      const older = follow(node.url, { hasOlder: true });
      const began = performance.now();
      await level(older, remote);
      console.log(
        `caught up ${rate(older, performance.now() - began)} (${issued} of them in a rush), with outputs of the genesis looked up`,
      );
      await older.follower.complete(world.addresses());
      await expectSame(older, remote, world.addresses());

      const fresh = follow(node.url, { path: join(folder, 'fresh.sqlite') });
      const start = performance.now();
      await level(fresh, remote);
      console.log(`caught up ${rate(fresh, performance.now() - start)} into a file`);
      await expectSame(fresh, remote, world.addresses());
      expect(chains.flatMap(({ reported }) => reported).map((error) => (error as { fault: { code: string } }).fault.code)).toEqual([
        'FOLLOW_SILENT',
        'FOLLOW_OTHER_NETWORK',
      ]);
    } finally {
      for (const { follower } of chains) await follower.stop();
      await node.stop();
    }
  }, 600_000);

const rate = ({ state }: FollowedChain, ms: number): string =>
  `${state.height()} blocks with ${state.stats().txs} transactions in ${Math.round(ms)} ms: ${Math.round((state.stats().txs / ms) * 1000)} tx/s`;

async function level({ state, follower }: FollowedChain, remote: Remote): Promise<void> {
  const height = await remote.height();
  const status = await eventually(follower.status, () => state.height() >= height, 60_000);
  expect(status.lastError).toBeUndefined();
}

/** Every block byte for byte, every unspent output of every address, and tables that fit each other. */
async function expectSame(chain: FollowedChain, remote: Remote, addresses: readonly Address[]): Promise<void> {
  const { state } = chain;
  for (let height = 0n; height <= state.height(); height++)
    expect(toHex(state.blockAt(height) as Uint8Array)).toBe(toHex((await remote.blockAt(height))?.bytes as Uint8Array));
  for (const address of addresses) expect(ownUtxos(state, address)).toEqual(await nodeUtxos(remote, address));
  expect(problemsOf(chain)).toEqual([]);
}

function ownUtxos(state: ChainState, address: Address): string[] {
  const start = { address: '0'.repeat(40) as Address, utxoID: '0'.repeat(64) as Utxo['id'] };
  const { utxos } = state.utxos(state.id, { addresses: [address], start, limit: 1_000_000 }, true);
  return utxos.map((bytes) => toHex(bytes.subarray(0, -4))).sort();
}

async function nodeUtxos(remote: Remote, address: Address): Promise<string[]> {
  const all: string[] = [];
  for (let after: UtxoCursor | undefined; ; ) {
    const { utxos, next } = await remote.utxos({ of: 'X', address, after });
    all.push(...utxos.map(({ bytes }) => toHex(bytes)));
    if (next === undefined) return all.sort();
    after = next;
  }
}

/** Issues real transactions and waits until they are accepted. */
async function openWorld(node: AvalancheGo, remote: Remote) {
  const model = localModel();
  const now = () => BigInt(Math.floor(Date.now() / 1000));
  const lockedUntil = () => now() + 1_000_000n;
  const generator = createGenerator({ random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holds: false }, 0);

  const call = async <T>(path: string, method: string, params: unknown): Promise<T> => {
    const { result, error } = await node.client.call(path, method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  };
  const accepted = async (txs: readonly Tx[]): Promise<void> => {
    for (const tx of txs) {
      await eventually(
        () => remote.tx(tx.id),
        (known) => known !== undefined,
        30_000,
      );
      model.apply(tx);
    }
  };

  const page = await call<{ utxos: string[] }>('/ext/bc/P', 'platform.getUTXOs', { addresses: [show.P(ewoq.address)] });
  const fromP = platformExport(wallet, page.utxos, random);
  await call('/ext/bc/P', 'platform.issueTx', { tx: formatHex('hex', fromP.bytes), encoding: 'hex' });
  const outputs = Array.from({ length: 4 }, (_, i) =>
    transfer(
      localTerms.feeAsset,
      2_000_000n + BigInt(i),
      i % 2 === 0 ? ownedBy([wallet.keys[i % 5] as typeof ewoq]) : ownedBy(wallet.keys.slice(0, 3), 2),
    ),
  );
  const fromC = contractExport({ address: ewoqAccount, amount: 100_000_000n, nonce: 0n, key: ewoq }, outputs);
  await call('/ext/bc/C/avax', 'avax.issueTx', { tx: formatHex('hex', fromC.bytes), encoding: 'hex' });
  for (const [chain, alias, utxos] of [[pChain, 'P', fromP.utxos] as const, [cChain, 'C', fromC.utxos] as const]) {
    const params = { addresses: wallet.keys.map(({ address }) => addressWriter('X', 'local')(address)), sourceChain: alias };
    await eventually(
      () => call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', params),
      (found) => found.utxos.length > 0,
      30_000,
    );
    for (const utxo of utxos) model.deposit(chain, utxo);
  }

  /** As many random transactions, issued in handfuls: each may use what the handful before it made. */
  const issue = async (count: number): Promise<void> => {
    for (let issued = 0; issued < count; ) {
      generator.settled();
      const batch = Array.from({ length: 12 }, generator.next).flatMap((one) => (one === undefined ? [] : [parseTx(one.bytes)]));
      for (const tx of batch) await remote.issueTx(tx.bytes);
      await accepted(batch);
      issued += batch.length;
    }
  };

  const coins = () =>
    [...model.utxos.values()].filter(
      ({ assetID, output }) =>
        assetID === localTerms.feeAsset &&
        output.kind === 'secp256k1fx.TransferOutput' &&
        output.addresses.join() === ewoq.address &&
        output.locktime === 0n,
    );

  return {
    issue,
    accepted: (kind: Tx['unsigned']['kind']) => model.accepted.filter(({ unsigned }) => unsigned.kind === kind).length,
    importedFrom: () => new Set(model.accepted.flatMap(({ unsigned }) => (unsigned.kind === 'ImportTx' ? [unsigned.sourceChain] : []))),
    last: () => model.accepted[model.accepted.length - 1],
    addresses: () => [...new Set([...model.utxos.values()].flatMap(({ output }) => output.addresses))],
    /** Milliseconds from its acceptance there to its being here. */
    issueAndWait: async (state: () => ChainState): Promise<number> => {
      generator.settled();
      const tx = parseTx((generator.next() as { bytes: Uint8Array }).bytes);
      await remote.issueTx(tx.bytes);
      await accepted([tx]);
      const began = performance.now();
      await eventually(
        () => state().hasTx(tx.id),
        (known) => known,
      );
      return performance.now() - began;
    },
    /** Many small transactions at once, from outputs made for them. */
    rush: async (count: number): Promise<number> => {
      const made: Utxo[] = [];
      while (made.length < count) {
        const outs = Array.from({ length: 500 }, () => transfer(localTerms.feeAsset, 3_000_000n, ownedBy([ewoq])));
        const funds = coins().sort((a, b) => Number(amountOf(b) - amountOf(a)));
        const tx = signed(baseTx(wallet, { utxos: funds }, outs));
        await remote.issueTx(tx.bytes);
        await accepted([tx]);
        made.push(...effectsOf(tx).created.filter((utxo) => amountOf(utxo) === 3_000_000n));
      }
      const txs = made.map((utxo) => signed(baseTx(wallet, { utxos: [utxo] }, [transfer(localTerms.feeAsset, 1n, ownedBy([ewoq]))])));
      let next = 0;
      const worker = async () => {
        for (let tx = txs[next++]; tx !== undefined; tx = txs[next++]) await remote.issueTx(tx.bytes);
      };
      await Promise.all(Array.from({ length: 16 }, worker));
      await accepted(txs);
      return txs.length;
    },
  };
}

const amountOf = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : 0n);
