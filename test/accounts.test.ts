import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import golden from '../vectors/accounts.json' with { type: 'json' };
import { type Program, runProgram, startProgram, startProgramAsUsers } from './program.ts';

/** The accounts of a new chain, through the real program. */

const folder = mkdtempSync(join(tmpdir(), 'serac-accounts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type BannerAccount = { index: number; address: string; balance: string };

const call = async <T>(node: Program, path: string, method: string, params?: unknown): Promise<T> => {
  const { result, error } = (await node.client.call(path, method, params)) as { result?: T; error?: unknown };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result as T;
};
const heightOf = async (node: Program) => (await call<{ height: string }>(node, '/ext/bc/X', 'avm.getHeight')).height;
const balanceOf = async (node: Program, address: string) =>
  (await call<{ balance: string }>(node, '/ext/bc/X', 'avm.getBalance', { address, assetID: 'AVAX' })).balance;

/** Starts a node for the time of `use`. */
async function withNode(flags: readonly string[], use: (node: Program) => Promise<void>): Promise<void> {
  const node = await startProgramAsUsers(...flags);
  try {
    await use(node);
  } finally {
    await node.stop();
  }
}

/** The block, the transaction and the accounts of a new chain, as the golden file has them. */
async function describeChain(node: Program) {
  const { block } = await call<{ block: GoldenBlock }>(node, '/ext/bc/X', 'avm.getBlockByHeight', { height: 1, encoding: 'json' });
  const accounts = (node.banner.accounts as BannerAccount[]).map(({ address, balance }) => ({ address, balance }));
  return { blockID: block.id, time: block.time, txID: block.txs[0]?.id, accounts };
}
type GoldenBlock = { id: string; time: number; txs: { id: string }[] };

describe('accounts are funded in block 1, with the same IDs on every machine', () => {
  for (const [network, expected] of Object.entries(golden.networks))
    test(network, () =>
      withNode([`--network-id=${network}`], async (node) => {
        expect(await describeChain(node)).toEqual(expected);
        expect(await heightOf(node)).toBe('1');
        const { block } = await call<{ block: { time: number } }>(node, '/ext/bc/X', 'avm.getBlockByHeight', {
          height: 0,
          encoding: 'json',
        });
        expect(block.time).toBe(expected.time);
        for (const { address, balance } of expected.accounts) {
          expect(await balanceOf(node, address)).toBe(balance);
          const path = `/v1/networks/${network === '4242' ? 'network-4242' : network}/blockchains/x-chain/balances?addresses=${address}`;
          const answer = JSON.parse((await node.client.send('GET', path)).text) as { balances: { unlocked: { amount: string }[] } };
          expect(answer.balances.unlocked.map(({ amount }) => amount)).toEqual([balance]);
        }
      }),
    );
});

test('a chain in a data directory is funded once, also with reader processes', async () => {
  const flags = [`--data-dir=${join(folder, 'kept')}`, '--workers=1'];
  for (let start = 0; start < 2; start++)
    await withNode(flags, async (node) => expect(await describeChain(node)).toEqual(golden.networks.local));
  const { code, out } = await runProgram('check', '--data-dir', join(folder, 'kept'));
  expect([code, out]).toEqual([0, expect.stringContaining('no damage found')]);
});

test('a chain with blocks is not funded', async () => {
  const flags = [`--data-dir=${join(folder, 'with blocks')}`, '--workers=0'];
  const node = await startProgram(...flags);
  await call(node, '/ext/dev', 'dev.send', { to: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', amount: 1 });
  await node.stop();
  await withNode(flags, async (again) => {
    expect(await heightOf(again)).toBe('1');
    expect((again.banner.accounts as BannerAccount[]).map(({ balance }) => balance).slice(1)).toEqual(Array(10).fill('0'));
  });
});

test('--strict and --accounts 0 start at height 0', async () => {
  for (const flag of ['--strict', '--accounts=0'])
    await withNode([flag], async (node) => {
      expect(await heightOf(node)).toBe('0');
      expect((node.banner.accounts as BannerAccount[]).map(({ index }) => index)).toEqual([0]);
      expect(node.banner.mnemonic).toBeNull();
    });
});

test('-a, --balance, -m and --derivation-path; the keys of a given mnemonic are never shown', async () => {
  const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
  const flags = ['-a', '3', '--balance=0.5', '-m', mnemonic, "--derivation-path=m/44'/60'/0'/0"];
  await withNode(flags, async (node) => {
    const accounts = node.banner.accounts as BannerAccount[];
    expect(accounts.map(({ balance }) => balance)).toEqual(['299999998499000000', '500000000', '500000000', '500000000']);
    expect(JSON.stringify(node.banner)).not.toContain('winner');
    const listed = await call<{ accounts: { privateKey?: string }[] }>(node, '/ext/dev', 'dev.accounts');
    expect(listed.accounts.map(({ privateKey }) => privateKey)).toEqual([
      'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('more than account 0 has is deposited from the P-Chain', () =>
  withNode(['--accounts=2', '--balance=400000000'], async (node) => {
    const accounts = node.banner.accounts as BannerAccount[];
    expect(accounts.map(({ balance }) => balance)).toEqual(['600000000000000000', '400000000000000000', '400000000000000000']);
  }));

test('a mnemonic with a typing error ends the program with exit code 2, and the message does not repeat it', async () => {
  const { code, err } = await runProgram('--mnemonic=test test test test test test test test test test test test', '--http-port=0');
  expect([code, err.trim()]).toEqual([
    2,
    expect.stringMatching(/^\S+Z fatal the mnemonic is not valid: its checksum is wrong; check the words and their order$/),
  ]);
});
