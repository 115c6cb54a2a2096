import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type DevNode, devModes, startDevNode } from './dev-node.ts';

/** Transactions of the accounts while others wait for a block. */

const coin = 1_000_000_000n;
const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';

for (const mode of devModes)
  describe(`waiting transactions, ${mode}`, () => {
    let node: DevNode;
    beforeAll(async () => {
      node = await startDevNode(mode, '--no-mining');
    });
    afterAll(() => node.stop());

    test('dev.faucet works several times before a block, from what the waiting transactions leave', async () => {
      const balanceOf = async () =>
        (await node.everywhere('/ext/bc/X', 'avm.getBalance', { address: to, assetID: 'AVAX' }))[0]?.result.balance;
      const before = BigInt(await balanceOf());
      const height = Number((await node.dev('dev.nodeInfo')).height);
      // Account 0 has one output.
      const txIDs = [];
      for (let i = 0; i < 25; i++) txIDs.push((await node.dev('dev.faucet', { to, amount: '3 AVAX' })).txID);
      expect((await node.dev('dev.getMempool')).total).toBe(25);
      const { data, message } = await node.devError('dev.faucet', { to, amount: '360000000 AVAX' });
      expect(data).toMatchObject({ code: 'DEV_INSUFFICIENT_FUNDS', account: 0 });
      expect(BigInt(data.have)).toBeGreaterThan(299_000_000n * coin);
      expect(message).not.toContain('can spend 0 AVAX');
      expect(await node.dev('dev.mine')).toMatchObject({ height: String(height + 1), filler: false });
      expect(await node.dev('dev.getMempool')).toEqual({ txs: [], total: 0 });
      for (const txID of txIDs)
        expect(await node.everywhere('/ext/bc/X', 'avm.getTxStatus', { txID })).toMatchObject([{ result: { status: 'Accepted' } }]);
      expect(BigInt(await balanceOf()) - before).toBe(75n * coin);
    });

    test('a transaction whose parent is dropped from the mempool is dropped with the next block', async () => {
      const all = `${BigInt((await node.dev('dev.accounts')).accounts[0].balance) - 2n * coin}`;
      const { txID: parent } = await node.dev('dev.faucet', { to, amount: all });
      const { txID: child } = await node.dev('dev.faucet', { to, amount: 5 });
      await node.dev('dev.dropTx', { txID: parent });
      await node.dev('dev.mine');
      expect(await node.dev('dev.getTxLifecycle', { txID: child })).toMatchObject({
        steps: expect.arrayContaining([expect.objectContaining({ step: 'dropped' })]),
      });
      expect((await node.dev('dev.getMempool')).total).toBe(0);
    });

    test('dev.mint works several times before a block', async () => {
      const { assetID } = await node.dev('dev.createAsset', { name: 'Gold', symbol: 'GLD', denomination: 0, mintable: true });
      await node.dev('dev.mine');
      for (let i = 0; i < 3; i++) await node.dev('dev.mint', { assetID, to, amount: 4 });
      await node.dev('dev.mine');
      expect((await node.everywhere('/ext/bc/X', 'avm.getBalance', { address: to, assetID }))[0]?.result.balance).toBe('12');
    });
  });

test('with noWait a method returns when the transaction is in the mempool, without it when it is accepted', async () => {
  const node = await startDevNode('in memory', '--min-block-delay=9s');
  const send = async (params: object = {}): Promise<string> => {
    const { txID } = await node.dev('dev.send', { to, amount: 1, ...params });
    return (await node.everywhere('/ext/bc/X', 'avm.getTxStatus', { txID }))[0]?.result.status;
  };
  expect(await send()).toBe('Accepted');
  // The next block is built nine seconds after the first; a call that waited for it would return a transaction that is accepted.
  expect(await send({ noWait: true })).toBe('Processing');
  await node.stop();
});
