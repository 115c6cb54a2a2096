// node --test transfers.test.mjs
import assert from 'node:assert/strict';
import { test } from 'serac/node-test';

const balanceOf = async ({ avm }, { address }) => (await avm.getBalance({ address, assetID: 'AVAX' })).balance;

test('a transfer arrives', async ({ node }) => {
  const [, , account] = node.accounts;
  const before = await balanceOf(node, account);
  await node.dev.send({ to: account.address, amount: '1.5 AVAX' });
  assert.equal((await balanceOf(node, account)) - before, 1_500_000_000n);
});

test('the next test has a clean chain', async ({ node }) => {
  assert.equal(await balanceOf(node, node.accounts[2]), 10_000_000_000_000n);
});

test('nobody can send more than there is', async ({ node }) => {
  const [, poor, account] = node.accounts;
  await assert.rejects(node.dev.send({ from: poor.address, to: account.address, amount: '1000000 AVAX' }), { name: 'SeracError' });
});
