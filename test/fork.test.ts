import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { watchOnlyKey } from '../src/avm/wallet/key.ts';
import { type Address, createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText, zeroId } from '../src/base/bytes/id.ts';
import { startAvalancheGo } from './avalanchego.ts';
import type { Client } from './http.ts';
import { eventually } from './processes.ts';
import { type Program, runProgram, startProgram, startProgramAsUsers } from './program.ts';
import { baseTx, createAsset, createWallet, ewoq, ewoqGenesisUtxo, type Key, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** `--fork-url`: a chain that begins with the outputs of a live node, Serac or AvalancheGo, and then goes its own way. */

const folder = mkdtempSync(join(tmpdir(), 'serac-fork-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const binary = process.env.AVALANCHEGO;
const format = createAddressFormatter('X', 'local');
const coin = 1_000_000_000n;

type Source = { readonly url: string; readonly client: Client; readonly stop: () => Promise<unknown> };
const sources: { readonly [name: string]: () => Promise<Source> } = {
  Serac: () => startProgram(),
  ...(binary === undefined ? {} : { AvalancheGo: () => startAvalancheGo(binary) }),
};

// biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
type Result = any;

async function call(client: Client, method: string, params: unknown, path = '/ext/bc/X'): Promise<Result> {
  const { result, error } = (await client.call(path, method, params)) as Result;
  if (error !== undefined) throw new Error(`${method}: ${error.message} ${JSON.stringify(error.data)}`);
  return result;
}

async function issue(client: Client, tx: Tx): Promise<void> {
  await call(client, 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  const status = await eventually(
    async () => (await call(client, 'avm.getTxStatus', { txID: idText(tx.id) })).status,
    (now) => now === 'Accepted',
  );
  expect(status).toBe('Accepted');
}

const utxosOf = async (client: Client, key: Key): Promise<string[]> =>
  (await call(client, 'avm.getUTXOs', { addresses: [format(key.address)] })).utxos.sort();
const balanceOf = async (client: Client, key: Key, assetID = 'AVAX'): Promise<string> =>
  (await call(client, 'avm.getBalance', { address: format(key.address), assetID })).balance;
const dataBalance = async (client: Client, key: Key): Promise<{ status: number; text: string }> =>
  client.send('GET', `/v1/networks/local/blockchains/x-chain/balances?addresses=${format(key.address)}`);

/** The other output of the local genesis, which belongs to no account. */
const genesisOwner = watchOnlyKey('e0cfe8cae22827d032805ded484e393ce51cbedb' as Address);
const unaskedGenesisUtxo = makeUtxo(
  ewoqGenesisUtxo.assetID,
  0,
  ewoqGenesisUtxo.assetID,
  transfer(ewoqGenesisUtxo.assetID, 10_000_000n * coin, ownedBy([genesisOwner])).output,
);

const wallet = createWallet('fork', { keys: [ewoq], count: 5 });
const [, asked, spender, preloaded, late, unasked] = wallet.keys as [Key, Key, Key, Key, Key, Key];
const { feeAsset } = wallet.chainParams;
const send = (utxo: Utxo, ...to: readonly (readonly [Key, bigint])[]): Tx =>
  signDraft(
    baseTx(
      wallet,
      { utxos: [utxo], change: ownedBy([ewoq]) },
      to.map(([key, amount]) => transfer(feeAsset, amount, ownedBy([key]))),
    ),
  );
const output = (tx: Tx, owner: Key): Utxo =>
  effectsOf(tx).created.find(({ output: { addresses }, assetID }) => addresses.includes(owner.address) && assetID === feeAsset) as Utxo;

for (const [name, startSource] of Object.entries(sources))
  describe(`a fork of ${name}`, () => {
    test('answers an all-zero transaction ID like the source', async () => {
      const source = await startSource();
      let fork: Program | undefined;
      try {
        fork = await startProgram(`--fork-url=${source.url}`, '--strict');
        const tx = send({ ...ewoqGenesisUtxo, ...makeUtxo(zeroId, 0, ewoqGenesisUtxo.assetID, ewoqGenesisUtxo.output) });
        const requests: readonly (readonly [string, object])[] = [
          ['avm.getTx', { txID: idText(zeroId) }],
          ['avm.getTxStatus', { txID: idText(zeroId) }],
          ['avm.getAssetDescription', { assetID: idText(zeroId) }],
          ['avm.issueTx', { tx: formatHex('hex', tx.bytes) }],
        ];
        for (const [method, params] of requests) {
          const [own, theirs] = (await Promise.all(
            [fork.client, source.client].map((client) => client.call('/ext/bc/X', method, params)),
          )) as [Result, Result];
          expect([method, own.error?.message]).toEqual([method, theirs.error.message]);
        }
      } finally {
        await fork?.stop();
        await source.stop();
      }
    });

    test('copies outputs when they are first used, and then goes its own way', async () => {
      const source = await startSource();
      const dataDir = join(folder, name);
      let fork: Program | undefined;
      try {
        const funding = send(ewoqGenesisUtxo, [asked, 5n * coin], [spender, 7n * coin], [preloaded, 9n * coin], [unasked, 3n * coin]);
        await issue(source.client, funding);
        const asset = signDraft(
          createAsset(
            wallet,
            { utxos: [output(funding, ewoq)], change: ownedBy([ewoq]) },
            {
              name: 'Gold',
              symbol: 'GLD',
              denomination: 2,
              states: [{ fxIndex: 0, outputs: [{ kind: 'secp256k1fx.TransferOutput', amount: 500n, ...ownedBy([asked]) }] }],
            },
          ),
        );
        await issue(source.client, asset);

        fork = await startProgramAsUsers(
          `--fork-url=${source.url}`,
          `--data-dir=${dataDir}`,
          `--fork-address=${format(preloaded.address)}`,
        );
        const { client } = fork;
        expect(fork.stderrText()).toContain(`forked from ${source.url}`);
        expect((await call(client, 'avm.getHeight', {})).height).toBe('1');
        const fresh = await call(client, 'dev.accounts', {}, '/ext/dev');

        // Reads of an address: Node RPC and Data API.
        expect(await utxosOf(client, asked)).toEqual(await utxosOf(source.client, asked));
        expect(await balanceOf(client, asked)).toBe(String(5n * coin));
        expect(await balanceOf(client, asked, idText(asset.id))).toBe('500');
        expect(JSON.parse((await dataBalance(client, asked)).text).balances.unlocked).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ symbol: 'AVAX', amount: String(5n * coin) }),
            expect.objectContaining({ symbol: 'GLD', amount: '500' }),
          ]),
        );
        const txParams = { txID: idText(asset.id), encoding: 'hex' };
        expect(await call(client, 'avm.getTx', txParams)).toEqual(await call(source.client, 'avm.getTx', txParams));

        // A transaction that spends an output that nobody has asked about; the forked node does not notice.
        const spend = send(output(funding, spender), [late, 2n * coin]);
        await issue(client, spend);
        expect(await balanceOf(client, spender)).toBe('0');
        expect(await balanceOf(client, late)).toBe(String(2n * coin));
        expect(await balanceOf(source.client, spender)).toBe(String(7n * coin));
        const onSource = await source.client.call('/ext/bc/X', 'avm.getTx', { txID: idText(spend.id) });
        expect(onSource.error).toBeDefined();

        // An output of the genesis too: this chain has the transaction that created it, but not its outputs.
        await call(client, 'dev.impersonate', { address: format(genesisOwner.address) }, '/ext/dev');
        await issue(client, signDraft(baseTx({ ...wallet, keys: [genesisOwner] }, { utxos: [unaskedGenesisUtxo] }, [])));

        // What is spent on the forked node, or here, cannot be spent here.
        for (const utxo of [ewoqGenesisUtxo, output(funding, spender)]) {
          const refused = send(utxo, [late, coin]);
          const { error } = (await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', refused.bytes) })) as Result;
          expect(error.message).toContain('failed to get');
        }

        // The accounts have their own funds, and those of the forked node.
        const { accounts } = await call(client, 'dev.accounts', {}, '/ext/dev');
        expect(accounts[1].balance).toBe(String(10_000n * coin));
        expect(BigInt(accounts[0].balance)).toBeGreaterThan(599_000_000n * coin);
        await call(client, 'dev.send', { to: format(asked.address), amount: '1 AVAX' }, '/ext/dev');

        // The change of the last transaction of the forked node belongs to account 0.
        await issue(client, send(output(asset, ewoq), [late, coin]));
        expect(await balanceOf(client, late)).toBe(String(3n * coin));

        // The first use fixes what is copied.
        await issue(source.client, send(output(asset, ewoq), [asked, coin], [late, coin]));
        expect(await balanceOf(client, asked)).toBe(String(6n * coin));
        expect(await balanceOf(source.client, asked)).toBe(String(6n * coin));
        expect(await balanceOf(client, late)).toBe(String(3n * coin));

        // A reset starts again from the copied accounts.
        await call(client, 'dev.snapshot', { name: 'used' }, '/ext/dev');
        await call(client, 'dev.reset', {}, '/ext/dev');
        expect(await call(client, 'dev.accounts', {}, '/ext/dev')).toEqual(fresh);
        expect((await call(client, 'avm.getHeight', {})).height).toBe('1');
        await call(client, 'dev.revert', { name: 'used' }, '/ext/dev');

        // A revert undoes copies too; they are copied again when they are used.
        await call(client, 'dev.snapshot', { name: 'before' }, '/ext/dev');
        expect(await balanceOf(client, unasked)).toBe(String(3n * coin));
        await call(client, 'dev.revert', { name: 'before' }, '/ext/dev');
        expect(await balanceOf(client, unasked)).toBe(String(3n * coin));
        await call(client, 'dev.revert', { name: 'before' }, '/ext/dev');
        await issue(client, send(output(funding, unasked), [asked, coin]));
        await call(client, 'dev.revert', { name: 'before' }, '/ext/dev');

        // Without the forked node, what was copied is still there, and the rest is an error.
        await source.stop();
        expect(await balanceOf(client, preloaded)).toBe(String(9n * coin));
        const { error } = (await client.call('/ext/bc/X', 'avm.getBalance', {
          address: format(unasked.address),
          assetID: 'AVAX',
        })) as Result;
        expect(error).toMatchObject({ message: expect.stringContaining(source.url), data: { code: 'FORK_SOURCE_FAILED' } });
        expect((await dataBalance(client, unasked)).status).toBe(503);

        // Saved state is that of a fork: a chain with its genesis outputs does not take it.
        const file = join(folder, `${name}.serac`);
        expect((await runProgram('state', 'save', file, '--url', fork.url)).code).toBe(0);
        const plain = await startProgramAsUsers();
        const loaded = await runProgram('state', 'load', file, '--url', plain.url);
        expect([loaded.code, loaded.err]).toEqual([1, expect.stringContaining('it was saved by a fork: start this node with --fork-url')]);
        await plain.stop();

        // The data directory works without the forked node too.
        await fork.stop();
        const check = await runProgram('check', `--data-dir=${dataDir}`);
        expect([check.code, check.out]).toEqual([0, expect.stringContaining('addresses were copied from another node')]);
        fork = await startProgramAsUsers(`--data-dir=${dataDir}`, '--workers=0');
        expect(await balanceOf(fork.client, preloaded)).toBe(String(9n * coin));
        await issue(fork.client, send(output(funding, preloaded), [late, coin]));
        await fork.stop();
        expect((await runProgram('check', `--data-dir=${dataDir}`)).out).toContain('no damage found');
      } finally {
        await fork?.stop();
        await source.stop();
      }
    });
  });

test('a transaction that spends the outputs of waiting ones needs no answer of the forked node', async () => {
  const source = await startProgram('--accounts=1');
  const fork = await startProgram(`--fork-url=${source.url}`, '--accounts=1', '--no-mining');
  await source.stop();
  const to = format(ewoq.address);
  for (let i = 0; i < 4; i++) await call(fork.client, 'dev.send', { from: 0, to, amount: '1000' }, '/ext/dev');
  await call(fork.client, 'dev.mine', {}, '/ext/dev');
  expect(await call(fork.client, 'avm.getHeight', {})).toEqual({ height: '2' });
  await fork.stop();
});

test('a reorg of a fork copies the inputs of waiting transactions again, and dev.send the outputs of the sender', async () => {
  const source = await startProgram();
  const dev = (client: Client, method: string, params: unknown = {}) => call(client, `dev.${method}`, params, '/ext/dev');
  const funding = send(ewoqGenesisUtxo, [spender, 7n * coin], [unasked, 3n * coin]);
  await issue(source.client, funding);
  const fork = await startProgramAsUsers(`--fork-url=${source.url}`, '--reorg-depth=4');
  await dev(fork.client, 'mine');
  await dev(fork.client, 'setAutomine', { enabled: false });
  const waiting = send(output(funding, spender), [late, coin]);
  await call(fork.client, 'avm.issueTx', { tx: formatHex('hex', waiting.bytes) });
  await dev(fork.client, 'reorg', { depth: 1 });
  await dev(fork.client, 'mine');
  expect(await call(fork.client, 'avm.getTxStatus', { txID: idText(waiting.id) })).toEqual({ status: 'Accepted' });
  const sender = format(unasked.address);
  await dev(fork.client, 'impersonate', { address: sender });
  await dev(fork.client, 'send', { from: sender, to: format(late.address), amount: '2 AVAX' });
  await fork.stop();
  await source.stop();
});

describe('a fork that cannot be', () => {
  test('the node does not answer, or is of another network', async () => {
    const down = await runProgram('--fork-url=http://127.0.0.1:1', '--http-port=0');
    expect([down.code, down.err]).toEqual([1, expect.stringContaining('cannot fork http://127.0.0.1:1: ')]);
    expect(down.err).toContain('start it, or give another URL with --fork-url');
    const source = await startProgram('--network-id=fuji');
    const other = await runProgram(`--fork-url=${source.url}`, '--network-id=local', '--http-port=0');
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('choose its network with --network-id')]);
    // Without --network-id the network is that of the node.
    const fork = await startProgram(`--fork-url=${source.url}`);
    expect(fork.banner.network).toMatchObject({ name: 'fuji' });
    await fork.stop();
    await source.stop();
  });

  test('a data directory whose chain is not a fork, and --fork-address alone', async () => {
    const source = await startProgram();
    const dataDir = join(folder, 'plain');
    await (await startProgram(`--data-dir=${dataDir}`)).stop();
    const { code, err } = await runProgram(`--data-dir=${dataDir}`, `--fork-url=${source.url}`, '--http-port=0');
    expect([code, err]).toEqual([1, expect.stringContaining('is not a fork; give a new directory')]);
    expect((await runProgram('--fork-address=X-local1x')).code).toBe(2);
    await source.stop();
  });
});

describe('--fork-block-number', () => {
  test('copies what an address had after that block, also if blocks have the same time', async () => {
    const source = await startProgramAsUsers();
    const address = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
    const dev = (client: Client, method: string, params: unknown = {}) => call(client, `dev.${method}`, params, '/ext/dev');
    await dev(source.client, 'freezeTime');
    for (const amount of ['1', '2', '4']) await dev(source.client, 'send', { to: address, amount: `${amount} AVAX` });
    await dev(source.client, 'impersonate', { address });
    await dev(source.client, 'send', { from: address, to: format(ewoq.address), amount: '3 AVAX' });
    const balance = async (...flags: string[]): Promise<string> => {
      const fork = await startProgramAsUsers('--fork-url', source.url, ...flags);
      const { balance } = await call(fork.client, 'avm.getBalance', { address, assetID: 'AVAX' });
      await fork.stop();
      return balance;
    };
    const now = 4n * coin - 1_000_000n;
    expect([await balance(), await balance('--fork-block-number=5')]).toEqual([String(now), String(now)]);
    expect(await balance('--fork-block-number=1')).toBe('0');
    expect(await balance('--fork-block-number=2')).toBe(String(coin));
    expect(await balance('--fork-block-number=3')).toBe(String(3n * coin));
    expect(await balance('--fork-block-number=4')).toBe(String(7n * coin));
    const { code, err } = await runProgram('--fork-url', source.url, '--fork-block-number=99', '--http-port=0');
    expect([code, err]).toEqual([1, expect.stringContaining('at block 99: the node has no such block')]);
    await source.stop();
  });

  test('a node without a Data API: the error says why', async () => {
    const source = await startProgram('--data-api-enabled=false');
    const { code, err } = await runProgram('--fork-url', source.url, '--fork-block-number=0', '--http-port=0');
    expect([code, err]).toEqual([1, expect.stringContaining('it has no Data API; AvalancheGo cannot answer for an earlier block')]);
    await source.stop();
  });
});
