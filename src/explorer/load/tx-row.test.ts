import { expect, test } from 'bun:test';
import type { Tx } from '../../api/contract/answers.ts';
import { createTestSource, testChainPath, testContext } from './test-source.fixture.ts';
import { burnedAmounts, readLatestRows, readRows, readRowsOf } from './tx-row.ts';

const summary = { kind: 'Transfer', amounts: [] };
const line = (id: string, height: number) => ({ txHash: id, txType: 'BaseTx', blockNumber: `${height}`, timestamp: 100 + height, summary });
const row = (id: string, height: number): object => ({ id, type: 'BaseTx', height, time: 100 + height, summary });
const list = `${testChainPath}/transaction-summaries?`;

test('the latest rows are read page by page, until there are enough or no more', async () => {
  const pages: Record<string, object> = {
    [`${list}pageSize=3`]: { transactions: [line('a', 3)], nextPageToken: 'n&' },
    [`${list}pageSize=2&pageToken=n%26`]: { transactions: [line('b', 2), line('c', 1)], nextPageToken: 'more' },
    [`${list}pageSize=5`]: { transactions: [line('a', 3)] },
  };
  const { source, asked } = createTestSource((path) => pages[path]);
  expect(await readLatestRows(source, testContext, 3)).toEqual([row('a', 3), row('b', 2), row('c', 1)] as never);
  expect(asked).toHaveLength(2);
  expect(await readLatestRows(source, testContext, 5)).toEqual([row('a', 3)] as never);
});

test('rows by ID keep their order; without an ID nothing is asked', async () => {
  const { source, asked } = createTestSource(() => ({ transactions: [line('b', 2), line('a', 3)] }));
  expect(await readRows(source, testContext, [])).toEqual([]);
  expect(asked).toEqual([]);
  expect(await readRows(source, testContext, ['b', 'a'])).toEqual([row('b', 2), row('a', 3)] as never);
  expect(asked).toEqual([`${list}txHashes=b,a`]);
});

test('rows of an address tell the counts and whether there are more', async () => {
  const { source, asked } = createTestSource((path) =>
    path.includes('lost')
      ? undefined
      : {
          transactions: [line('a', 3), line('b', 2)],
          totalCount: 9,
          newerCount: 4,
          ...(path.includes('counts') && {}),
          nextPageToken: 't',
        },
  );
  const ask = (address: string, isCounted: boolean) =>
    readRowsOf(source, testContext, { addresses: address }, { rows: 2, place: { at: 'first' } as never, isCounted });
  expect(await ask('X-1', true)).toEqual({ isFound: true, rows: [row('a', 3), row('b', 2)], hasMore: true, total: 9, newer: 4 } as never);
  expect(asked[0]).toStartWith(`${list}addresses=X-1&pageSize=2&countUpTo=`);
  await ask('X-1', false);
  expect(asked[1]).not.toContain('countUpTo');
  expect(await ask('lost', false)).toEqual({ isFound: false, rows: [], hasMore: false, total: undefined, newer: undefined });
});

test('what is consumed and not produced is the fee or burned', () => {
  const amount = (assetId: string, value: number, type = 'secp256k1') => ({
    assetId,
    type,
    amount: `${value}`,
    name: '',
    symbol: '',
    denomination: 0,
  });
  const tx = (unlocked: object[], created: object[]) =>
    ({ amountUnlocked: unlocked, amountCreated: created, consumedUtxos: [] }) as unknown as Tx;
  const { fee, burned } = burnedAmounts(
    tx([amount('avax', 10), amount('x', 5), amount('y', 2)], [amount('avax', 9), amount('y', 2)]),
    'avax',
  );
  expect(fee?.amount).toBe('1');
  expect(burned.map(({ assetId, amount: lost }) => [assetId, lost])).toEqual([['x', '5']]);
  expect(burnedAmounts(tx([amount('avax', 10)], [amount('avax', 10)]), 'avax')).toEqual({ fee: undefined, burned: [] });
  // A mint creates more than it consumes.
  expect(burnedAmounts(tx([amount('x', 1)], [amount('x', 8)]), 'avax')).toEqual({ fee: undefined, burned: [] });
});
