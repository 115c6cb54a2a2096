import { expect, test } from 'bun:test';
import type { TxSummary } from '../../api/contract/answers.ts';
import { formatEvent } from './format-event.ts';

const txEvent = {
  kind: 'tx',
  txID: '2Hb',
  txType: 'BaseTx',
  summary: {},
  balanceChanges: [
    { address: 'X-local1a', assetID: 'avax', change: '-5', sharedChange: '0' },
    { address: 'X-local1b', assetID: 'avax', change: '5', sharedChange: '0' },
  ],
};
const writers = {
  formatAmount: async (amount: string) => `${amount} AVAX`,
  writeSentence: async (_: TxSummary, labels: { readonly [address: string]: string } = {}) =>
    `X-local1a sent 5 to ${labels['X-local1b'] ?? 'X-local1b'}`,
};

test('a transaction is printed with the labels that its event has', async () => {
  const linesOf = (labels: object): Promise<readonly string[]> => formatEvent('tx', JSON.stringify({ ...txEvent, ...labels }), writers);
  expect(await linesOf({})).toEqual([
    '  BaseTx 2Hb',
    '    X-local1a sent 5 to X-local1b',
    '    X-local1a  -5 AVAX',
    '    X-local1b  +5 AVAX',
  ]);
  expect(await linesOf({ labels: { 'X-local1b': 'bob' } })).toEqual([
    '  BaseTx 2Hb',
    '    X-local1a sent 5 to bob',
    '    X-local1a  -5 AVAX',
    '    X-local1b (bob)  +5 AVAX',
  ]);
  expect(await formatEvent('settings', '{"changed":"labels"}', writers)).toEqual(['setting changed: labels of addresses']);
  expect(await formatEvent('settings', '{"changed":"impersonation"}', writers)).toEqual([
    'setting changed: which addresses are impersonated',
  ]);
});
