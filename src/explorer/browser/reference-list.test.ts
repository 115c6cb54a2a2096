import { expect, test } from 'bun:test';
import { isCallName, orderCalls } from './reference-list.ts';

test('the call with the name comes first, then those that begin with it; at most five', () => {
  const calls = ['avm.getTxStatus', 'listGetTx', 'avm.getTx', 'avm.getTxFee', 'a.getTx', 'b.getTx', 'other'].map((name) => ({
    name,
    summary: '',
    href: '',
  }));
  const found = (text: string) => orderCalls(calls, text).map(({ name }) => name);
  expect(found('AVM.gettx')).toEqual(['avm.getTx', 'avm.getTxStatus', 'avm.getTxFee']);
  expect(found('getTx')).toEqual(['a.getTx', 'b.getTx', 'avm.getTxStatus', 'listGetTx', 'avm.getTx']);
  expect(found('nothing')).toEqual([]);
});

test('the names of methods and routes are told from words', () => {
  expect(['avm.', 'avm.getTx', 'getTxByHash', 'state', 'X-local1', '--state', 'get tx'].map(isCallName)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
