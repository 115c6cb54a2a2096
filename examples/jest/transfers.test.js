const { test } = require('serac/jest');

const balanceOf = async ({ avm }, { address }) => (await avm.getBalance({ address, assetID: 'AVAX' })).balance;

test('a transfer arrives', async ({ node }) => {
  const [, , account] = node.accounts;
  await node.dev.send({ to: account.address, amount: '1.5 AVAX' });
  expect(await balanceOf(node, account)).toBe(10_001_500_000_000n);
});

test('a locked output can be spent when its time has come', async ({ node }) => {
  const [, from, to] = node.accounts;
  const { time } = await node.dev.getTime();
  await node.dev.send({ from: from.address, to: to.address, amount: '9999 AVAX', locktime: time + 86_400 });
  const spend = () => node.dev.send({ from: to.address, to: from.address, amount: '19000 AVAX' });
  await expect(spend()).rejects.toThrow();
  await node.dev.increaseTime('1d');
  await expect(spend()).resolves.toHaveProperty('txID');
});
