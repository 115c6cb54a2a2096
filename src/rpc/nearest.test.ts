import { expect, test } from 'bun:test';
import { nearest } from './nearest.ts';

const names = ['avm.getBalance', 'avm.getAllBalances', 'avm.getHeight', 'avm.getTx', 'avm.getTxFee', 'avm.getUTXOs', 'avm.issueTx'];

const rows: readonly [string, readonly string[], string | undefined][] = [
  ['avm.getBalances', names, 'avm.getBalance'],
  ['avm.getHieght', names, 'avm.getHeight'],
  ['avm.GetUTXOs', names, 'avm.getUTXOs'],
  ['avm_getHeight', names, 'avm.getHeight'],
  ['getHeight', names, 'avm.getHeight'],
  ['avm.issueTransaction', names, 'avm.issueTx'],
  ['eth_blockNumber', names, undefined],
  ['', names, undefined],
  ['.', names, undefined],
  ['address', ['addresses', 'limit'], 'addresses'],
  ['tx_id', ['txID', 'encoding'], 'txID'],
  ['id', ['txID', 'encoding'], 'txID'],
  ['asset', ['address', 'assetID'], 'assetID'],
  ['enconding', ['txID', 'encoding'], 'encoding'],
  ['height', ['txID', 'encoding'], undefined],
  [`avm.getHeight${'x'.repeat(60)}`, names, undefined],
];

for (const [wanted, known, found] of rows)
  test(`${wanted.slice(0, 20) || 'no name'} means ${found ?? 'nothing known'}`, () => expect(nearest(wanted, known)).toBe(found));

test('a very long name costs nothing', () => {
  const started = performance.now();
  for (let i = 0; i < 1000; i++) nearest('avm.'.repeat(100_000), names);
  expect(performance.now() - started).toBeLessThan(2000);
});
