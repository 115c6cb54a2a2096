// node --test transfers.test.mjs
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createNode } from 'serac';

let node;
before(async () => {
  node = await createNode();
  await node.dev.snapshot('clean');
});
beforeEach(() => node.dev.revert('clean'));
after(() => node.close());

const balanceOf = async ({ address }) => (await node.avm.getBalance({ address, assetID: 'AVAX' })).balance;

test('a transfer arrives', async () => {
  const [, , account] = node.accounts;
  const before = await balanceOf(account);
  await node.dev.send({ to: account.address, amount: '1.5 AVAX' });
  assert.equal((await balanceOf(account)) - before, 1_500_000_000n);
});

test('the next test has a clean chain', async () => {
  assert.equal(await balanceOf(node.accounts[2]), 10_000_000_000_000n);
});

test('nobody can send more than there is', async () => {
  const [, poor, account] = node.accounts;
  await assert.rejects(node.dev.send({ from: poor.address, to: account.address, amount: '1000000 AVAX' }), { name: 'SeracError' });
});
