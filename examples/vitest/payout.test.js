import { test } from 'serac/vitest';
import { describe, expect } from 'vitest';
import { payOut } from './payout.js';

const avax = 1_000_000_000n;

describe('payouts', () => {
  test('pays every recipient, and the payer bears the fee', async ({ node }) => {
    const [payer, ...recipients] = node.accounts.slice(1, 5);
    const balance = async ({ address }) => (await node.avm.getBalance({ address, assetID: 'AVAX' })).balance;
    const url = node.url ?? (await node.listen(0));
    await payOut(
      url,
      payer,
      recipients.map(({ address }) => address),
      5n * avax,
    );
    expect(await Promise.all(recipients.map(balance))).toEqual([10_005n * avax, 10_005n * avax, 10_005n * avax]);
    expect(await balance(payer)).toBe(9_985n * avax - 1_000_000n);
  });

  test('starts on a fresh chain: the payout of the test before is undone', async ({ node }) => {
    expect((await node.avm.getHeight()).height).toBe(1);
    expect((await node.dev.accounts()).accounts.slice(1).every(({ balance }) => balance === 10_000n * avax)).toBe(true);
  });

  test('a locked output cannot be paid out until its time has come', async ({ node }) => {
    const { privateKey, address } = node.accounts[1];
    const url = node.url ?? (await node.listen(0));
    const { time } = await node.dev.getTime();
    await node.dev.send({ from: 1, to: address, amount: '9999 AVAX', locktime: time + 86_400 });
    const pay = (now) => payOut(url, { privateKey, address }, [node.accounts[2].address], 50n * avax, now);
    await expect(pay(time)).rejects.toThrow('insufficient funds');
    // A transaction that spends it all the same is refused, until the time has come on the chain too.
    await expect(pay(time + 86_400)).rejects.toThrow('locked');
    const later = await node.dev.increaseTime('1d');
    await expect(pay(later.time)).resolves.toBeTypeOf('string');
  });

  test('a node that refuses transactions for a while is reported', async ({ node }) => {
    await node.dev.failNext({ method: 'avm.issueTx', times: 1, error: 'mempool is full' });
    const url = node.url ?? (await node.listen(0));
    await expect(payOut(url, node.accounts[1], [node.accounts[2].address], avax)).rejects.toThrow('mempool is full');
  });
});
