import { describe, expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { describeRefusal } from './refused-call.ts';

const hintOf = (facts: Record<string, unknown>): string =>
  describeRefusal('avm.issueTx', new Fault('refused', { code: 'TEST', ...facts }), undefined).hint;

describe('the hint of a refused call', () => {
  test('names facts that are texts and numbers', () => {
    expect(hintOf({ want: 1, got: 0 })).toBe('expected 1, got 0');
    expect(hintOf({ want: 'a', got: 'b' })).toBe('expected a, got b');
    expect(hintOf({ didYouMean: 'avm.getTx', spentBy: 'tx' })).toBe('did you mean avm.getTx?');
  });

  test('needs all facts of its row, and none of them empty; the next row that has its facts is used', () => {
    expect(hintOf({ want: 1 })).toBe('');
    expect(hintOf({ want: 1, got: '' })).toBe('');
    expect(hintOf({ want: 1, got: ['list'] })).toBe('');
    expect(hintOf({ didYouMean: '', spentBy: 'tx' })).toBe('already spent by tx');
    expect(hintOf({ path: 'inputs[0]' })).toBe('see inputs[0]');
    expect(hintOf({ path: 'inputs[0]', utxoID: 'id' })).toBe('inputs[0], output id');
  });

  test('of some errors is for their code only', () => {
    const amounts = { have: '5', amount: '1000000000', fee: '1000000' };
    expect(hintOf({ ...amounts, code: 'TX_INSUFFICIENT_FUNDS' })).toBe('inputs 0.000000005, outputs 1, fee 0.001');
    expect(hintOf(amounts)).toBe('');
    expect(hintOf({ code: 'TX_TIME_LOCKED', locktime: '0', now: 'never' })).toBe('locked until 1970-01-01T00:00:00Z, now never');
  });
});

test('texts from outside are cut and have no control characters', () => {
  const { method, reason } = describeRefusal('m'.repeat(100), new Fault(`a\u001b[2J${'x'.repeat(300)}`, { code: 'TEST' }), undefined);
  expect([method.length, reason.length]).toEqual([60, 240]);
  expect(method.endsWith('m…')).toBe(true);
  expect(reason).not.toContain('\u001b');
});
