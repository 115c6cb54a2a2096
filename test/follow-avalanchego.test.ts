import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import { makeTx, parseTx, type Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { type Address, createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex, toHex } from '../src/base/bytes/hex.ts';
import type { Remote, RemoteUtxoCursor } from '../src/chain/follow/remote.ts';
import { withRetries } from '../src/chain/follow/retrying-remote.ts';
import type { ChainState } from '../src/ledger/state/chain-state.ts';
import { type AvalancheGo, startAvalancheGo } from './avalanchego.ts';
import { createCChainExport, ewoqCChainAddress } from './c-chain-export.ts';
import { expectedLocalNode, type FollowedChain, findProblems, followLocal, realTiming, remoteAt } from './followed-chain.ts';
import { cChain, localModel, pChain } from './local-chain.ts';
import { platformExport } from './platform-export.ts';
import { eventually } from './processes.ts';
import { createRandom } from './random.ts';
import { createTxGenerator } from './tx-generator.ts';
import { baseTx, createWallet, ewoq, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Follows a real AvalancheGo: from its first block on, through a kill and restart, and with outputs from before linearization. */
const binary = process.env.AVALANCHEGO;
const burstSize = Number(process.env.SERAC_FOLLOW_TXS ?? 3000);
const seed = Number(process.env.SERAC_SEED ?? 3);

const folder = mkdtempSync(join(tmpdir(), 'serac-follow-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = createRandom(seed);
const wallet = createWallet('followed', { keys: [ewoq], count: 5 });
const show = { P: createAddressFormatter('P', 'local') };

if (binary === undefined) console.log('skipped: following AvalancheGo; set AVALANCHEGO to the path of its binary');
else
  test(`AvalancheGo is followed, seed ${seed}`, async () => {
    const node = await startAvalancheGo(binary);
    const remote = withRetries(remoteAt(node.url), { timing: realTiming, signal: new AbortController().signal });
    const path = join(folder, 'chain.sqlite');
    const chains: FollowedChain[] = [];
    const follow = (...args: Parameters<typeof followLocal>) => {
      const chain = followLocal(...args);
      chains.push(chain);
      return chain;
    };
    try {
      const world = await openWorld(node, remote);

      // From the first block on, while more are accepted: every kind of transaction, with imports from P and C.
      const first = follow(node.url, { path });
      await world.issue(250);
      await waitUntilLevel(first, remote);
      await expectSame(first, remote, world.addresses());
      expect(world.accepted('ImportTx')).toBeGreaterThan(2);
      expect(world.importedFrom()).toEqual(new Set([pChain, cChain]));
      expect(world.accepted('ExportTx')).toBeGreaterThan(0);
      expect(first.follower.status()).toMatchObject({ state: 'live', unknownImports: 0, behindSeconds: 0 });

      // A block is stored within a second of its acceptance.
      const lag = await world.issueAndWait(() => first.state);
      expect(lag).toBeLessThan(1000);

      // An error of the node is returned with its message.
      const foreign = makeTx({ ...(world.last() as Tx).unsigned, networkID: 1 }, (world.last() as Tx).credentials);
      const refused = await first.follower.issue(foreign).catch((error) => error);
      expect([refused.fault.code, refused.message]).toEqual(['FOLLOW_REFUSED', expect.stringContaining('wrong network ID')]);

      // The node is killed and restarted; then the follower is restarted.
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
      await waitUntilLevel(second, remote);
      await expectSame(second, remote, world.addresses());
      expect(second.state.height()).toBe(await remote.height());

      // A node of another network is rejected.
      const otherNetwork = follow(node.url, { expectedNode: { ...expectedLocalNode(), networkID: 5 } });
      const why = await otherNetwork.follower.ready.catch((error) => error);
      expect([why.fault.code, why.message]).toEqual(['FOLLOW_OTHER_NETWORK', 'the followed node is of network 12345, not of network 5']);

      // As on a network with pre-linearization history: genesis outputs are fetched by their transaction, addresses are backfilled.
      const issued = await world.burst(burstSize);
      const withBackfill = follow(node.url, { hasPreLinearizationHistory: true });
      const began = performance.now();
      await waitUntilLevel(withBackfill, remote);
      console.log(
        `caught up ${rate(withBackfill, performance.now() - began)} (${issued} of them in a burst), with lookups of genesis outputs`,
      );
      await withBackfill.follower.backfills.outputs?.(world.addresses());
      await expectSame(withBackfill, remote, world.addresses());

      const fresh = follow(node.url, { path: join(folder, 'fresh.sqlite') });
      const start = performance.now();
      await waitUntilLevel(fresh, remote);
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

async function waitUntilLevel({ state, follower }: FollowedChain, remote: Remote): Promise<void> {
  const height = await remote.height();
  const status = await eventually(follower.status, () => state.height() >= height, 60_000);
  expect(status.lastError).toBeUndefined();
}

/** Expects the same bytes of every block, the same unspent outputs of every address, and consistent tables. */
async function expectSame(chain: FollowedChain, remote: Remote, addresses: readonly Address[]): Promise<void> {
  const { state } = chain;
  for (let height = 0n; height <= state.height(); height++)
    expect(toHex(state.blockAt(height) as Uint8Array)).toBe(toHex((await remote.blockAt(height))?.bytes as Uint8Array));
  for (const address of addresses) expect(ownUtxos(state, address)).toEqual(await nodeUtxos(remote, address));
  expect(findProblems(chain)).toEqual([]);
}

function ownUtxos(state: ChainState, address: Address): string[] {
  const start = { address: '0'.repeat(40) as Address, utxoID: '0'.repeat(64) as Utxo['id'] };
  const { utxos } = state.utxos(state.id, { addresses: [address], start, limit: 1_000_000 }, true);
  return utxos.map((bytes) => toHex(bytes.subarray(0, -4))).sort();
}

async function nodeUtxos(remote: Remote, address: Address): Promise<string[]> {
  const all: string[] = [];
  for (let after: RemoteUtxoCursor | undefined; ; ) {
    const { utxos, next } = await remote.utxos({ list: 'X', address, after });
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
  const generator = createTxGenerator({ random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holdsPending: false }, 0);

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
      localChainParams.feeAsset,
      2_000_000n + BigInt(i),
      i % 2 === 0 ? ownedBy([wallet.keys[i % 5] as typeof ewoq]) : ownedBy(wallet.keys.slice(0, 3), 2),
    ),
  );
  const fromC = createCChainExport({ address: ewoqCChainAddress, amount: 100_000_000n, nonce: 0n, key: ewoq }, outputs);
  await call('/ext/bc/C/avax', 'avax.issueTx', { tx: formatHex('hex', fromC.bytes), encoding: 'hex' });
  for (const [chain, alias, utxos] of [[pChain, 'P', fromP.utxos] as const, [cChain, 'C', fromC.utxos] as const]) {
    const params = { addresses: wallet.keys.map(({ address }) => createAddressFormatter('X', 'local')(address)), sourceChain: alias };
    await eventually(
      () => call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', params),
      (found) => found.utxos.length > 0,
      30_000,
    );
    for (const utxo of utxos) model.deposit(chain, utxo);
  }

  /** Issues random transactions in small batches: each may spend outputs of the batch before it. */
  const issue = async (count: number): Promise<void> => {
    for (let issued = 0; issued < count; ) {
      generator.reset();
      const batch = Array.from({ length: 12 }, generator.next).flatMap((one) => (one === undefined ? [] : [parseTx(one.bytes)]));
      for (const tx of batch) await remote.issueTx(tx.bytes);
      await accepted(batch);
      issued += batch.length;
    }
  };

  const coins = () =>
    [...model.utxos.values()].filter(
      ({ assetID, output }) =>
        assetID === localChainParams.feeAsset &&
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
    /** Milliseconds from the acceptance of a transaction on the node to its storage here. */
    issueAndWait: async (state: () => ChainState): Promise<number> => {
      generator.reset();
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
    /** Issues many small transactions at once, from outputs created for them. */
    burst: async (count: number): Promise<number> => {
      const made: Utxo[] = [];
      while (made.length < count) {
        const outs = Array.from({ length: 500 }, () => transfer(localChainParams.feeAsset, 3_000_000n, ownedBy([ewoq])));
        const funds = coins().sort((a, b) => Number(amountOf(b) - amountOf(a)));
        const tx = signDraft(baseTx(wallet, { utxos: funds }, outs));
        await remote.issueTx(tx.bytes);
        await accepted([tx]);
        made.push(...effectsOf(tx).created.filter((utxo) => amountOf(utxo) === 3_000_000n));
      }
      const txs = made.map((utxo) =>
        signDraft(baseTx(wallet, { utxos: [utxo] }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))])),
      );
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
