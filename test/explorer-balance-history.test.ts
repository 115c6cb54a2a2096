import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { getFrom, type Json } from './explorer-client.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** The balance of an address over time: route and page. */
let node: DevNode;
let address: string;
let other: string;
const history = async (query = ''): Promise<Json> => (await getFrom(node.program(), `balance-history?addresses=${address}${query}`)).json;

beforeAll(async () => {
  node = await startDevNode('with a reader process', '--accounts=3');
  const { accounts } = await node.dev('dev.accounts');
  [address, other] = [accounts[1].address, accounts[2].address];
});
afterAll(() => node.stop());

const balanceOf = async (): Promise<string> => {
  const { json } = await getFrom(node.program(), `balances?addresses=${address}`);
  const [unlocked, locked] = [json.balances.unlocked[0], json.balances.locked[0]];
  return (BigInt(unlocked?.amount ?? 0) + BigInt(locked?.amount ?? 0)).toString();
};

test('every change is a point, and the last one is the balance', async () => {
  const before = await history();
  for (const amount of ['1 AVAX', '2 AVAX', '3 AVAX']) await node.dev('dev.send', { from: 1, to: other, amount });
  await node.dev('dev.send', { from: 1, to: address, amount: '5 AVAX', locktime: Math.floor(Date.now() / 1000) + 1e6 });
  const { points, isSampled, assetId } = await history();
  expect([points.length, isSampled]).toEqual([before.points.length + 4, false]);
  expect(assetId).toBe('2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe');
  expect(points.at(-1).amount).toBe(await balanceOf());
  const amounts = points.map(({ amount }: Json) => BigInt(amount));
  expect(amounts.slice(-4).map((amount: bigint, at: number) => amounts.at(at - 5) - amount)).toEqual([
    1_001_000_000n,
    2_001_000_000n,
    3_001_000_000n,
    1_000_000n,
  ]);
});

test('ranges by block and by time, and fewer points than changes', async () => {
  const { points } = await history();
  const [first, second, third] = points.slice(-3).map(({ blockNumber }: Json) => Number(blockNumber));
  expect((await history(`&startBlock=${first}&endBlock=${third - 1}`)).points.map(({ blockNumber }: Json) => Number(blockNumber))).toEqual([
    first,
    second,
  ]);
  expect((await history('&endTimestamp=1')).points).toEqual([]);
  const few = await history('&maxPoints=2');
  expect(few.isSampled).toBe(true);
  expect([few.points[0], few.points.at(-1)]).toEqual([points[0], points.at(-1)]);
  const bad = await getFrom(node.program(), `balance-history?addresses=${address},${other}`);
  expect([bad.status, bad.json.message]).toEqual([400, ['addresses must have at most 1 addresses']]);
});

test('a revert takes its changes out of the history', async () => {
  await node.dev('dev.snapshot', { name: 'before' });
  const before = await history();
  await node.dev('dev.send', { from: 1, to: other, amount: '9 AVAX' });
  expect((await history()).points.length).toBe(before.points.length + 1);
  await node.dev('dev.revert', { name: 'before' });
  expect(await history()).toEqual(before);
});

test('the page shows the plot, its values and the balance after each transaction', async () => {
  const get = async (query: string): Promise<string> =>
    (await fetch(`${node.program().url}/address/${address}${query}`, { headers: { accept: 'text/html' } })).text();
  const html = await get('');
  expect(html).toContain('AVAX over time');
  expect(html).toContain('Own AVAX after');
  const { points } = await history();
  const whole = points
    .at(-1)
    .amount.slice(0, -9)
    .replace(/\B(?=(\d{3})+$)/g, ',');
  // In the table of values and in the newest row of the history.
  expect(html.split(`${whole}.99`).length).toBeGreaterThan(2);
  expect(await get('?range=1d')).toContain('aria-current="true"');
  expect(await get('?asset=unknown')).toContain('cannot show it');
});

test('an address whose outputs have more lock times than are read one by one', async () => {
  const wallet = createWallet('locks', { keys: [ewoq], count: 1 });
  const [, holder] = wallet.keys as [Key, Key];
  const owner = createAddressFormatter('X', 'local')(holder.address);
  const locks = await startDevNode('in memory', '--accounts=0');
  const avax = localChainParams.feeAsset;
  const outputs = Array.from({ length: 300 }, (_, i) =>
    transfer(avax, BigInt(1000 + i), { ...ownedBy([holder]), locktime: BigInt(i === 0 ? 0 : 4e9 + i) }),
  );
  const read = async (query = ''): Promise<Json> => (await getFrom(locks.program(), `balance-history?addresses=${owner}${query}`)).json;
  try {
    const issue = async (tx: ReturnType<typeof signDraft>) => {
      expect((await locks.issue(tx)).error).toBeUndefined();
      await locks.untilAccepted(tx);
    };
    await issue(signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, outputs)));
    const total = outputs.reduce((sum, _, i) => sum + 1000 + i, 0);
    for (let sent = 1; sent <= 5; sent++) await locks.dev('dev.send', { to: owner, amount: `${sent}` });
    const { points, isSampled } = await read();
    expect(isSampled).toBe(false);
    expect(points.map(({ amount }: Json) => Number(amount) - total)).toEqual([0, 1, 3, 6, 10, 15]);
    expect(points.map(({ blockNumber }: Json) => blockNumber)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(points.every(({ timestamp }: Json) => timestamp > 1.7e9)).toBe(true);
    expect((await read('&startBlock=3&endBlock=4')).points).toEqual(points.slice(2, 4));
    expect((await read('&endBlock=0')).points).toEqual([]);
    const few = await read('&maxPoints=3');
    expect([few.isSampled, few.points.length]).toEqual([true, 3]);
    expect([few.points[0], few.points.at(-1)]).toEqual([points[0], points.at(-1)]);
    const html = await (await fetch(`${locks.program().url}/address/${owner}`, { headers: { accept: 'text/html' } })).text();
    expect(html).toContain('AVAX over time');
    expect(html).not.toContain('cannot show it');
  } finally {
    await locks.stop();
  }
});
