import { expect, test } from 'bun:test';
import { recordTime } from '../../../test/figure.ts';
import { findNearestName } from './nearest-name.ts';

const names = ['avm.getBalance', 'avm.getAllBalances', 'avm.getHeight', 'avm.getTx', 'avm.getTxFee', 'avm.getUTXOs', 'avm.issueTx'];

const cases: readonly [string, readonly string[], string | undefined][] = [
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

for (const [wanted, known, found] of cases)
  test(`${wanted.slice(0, 20) || 'no name'} is closest to ${found ?? 'no name'}`, () => expect(findNearestName(wanted, known)).toBe(found));

test('a very long name is near to none', () => {
  const started = performance.now();
  for (let i = 0; i < 1000; i++) expect(findNearestName('avm.'.repeat(100_000), names)).toBeUndefined();
  recordTime('nearest name of 1,000 very long names', started, 2000);
});
