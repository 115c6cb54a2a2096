import { expect, test } from 'bun:test';
import type { TxChecks } from '../../api/contract/answers.ts';
import { checkRows, dropSentence } from './check-rows.ts';
import type { PageContext } from './page-context.ts';

const context = { chain: { feeAsset: 'fee', feeSymbol: 'AVAX', feeDecimals: 9 } } as unknown as PageContext;
const check = (rule: string, result: string, values: object = {}) => ({ rule, result, values });
const rowsOf = (...checks: readonly object[]) =>
  checkRows({ checks, hex: `0x${'00'.repeat(1234)}` } as unknown as TxChecks, context).map(({ rule, word, result, failed, note }) => ({
    rule,
    word,
    result,
    failed,
    note,
  }));

test('the checks of one rule are one row: failed if one failed, not run if one was not run', () => {
  const failed = check('utxo', 'fail');
  expect(
    rowsOf(
      check('type', 'pass'),
      check('utxo', 'pass'),
      failed,
      check('utxo', 'not-run'),
      check('output', 'pass'),
      check('output', 'not-run'),
    ),
  ).toEqual([
    { rule: 'type', word: 'Bytes decode, contents of its type', result: 'pass', failed: undefined, note: '1,234 B' },
    { rule: 'utxo', word: 'Every input is unspent', result: 'fail', failed: failed as never, note: '1 of 3' },
    { rule: 'output', word: 'Amounts and owners match', result: 'not-run', failed: undefined, note: '1 of 2' },
  ]);
  expect(rowsOf(check('new', 'pass'))[0]).toMatchObject({ word: 'Not accepted before', note: '' });
  expect(rowsOf(check('signatures', 'not-run'))[0]?.note).toBe('needs all checks before it');
  expect(rowsOf(check('of tomorrow', 'pass'))[0]?.word).toBe('of tomorrow');
});

test('locked outputs are counted', () => {
  const lock = (locktime: number) => check('locktime', 'pass', { locktime: `${locktime}`, now: '100' });
  expect(rowsOf(lock(0), lock(100))[0]?.note).toBe('none locked');
  expect(rowsOf(lock(0), lock(101))[0]?.note).toBe('1 output locked');
});

test('sums are compared: what there is, what goes out and the fee, of three assets', () => {
  const sums = (...assets: readonly object[]) => rowsOf(check('amounts and fee', 'pass', { assets }))[0]?.note;
  const fee = { assetID: 'fee', have: '2000000000', amount: '1999000000', fee: '1000000' };
  expect(sums(fee)).toBe('2 AVAX ≥ 1.999 + 0.001');
  expect(sums({ ...fee, have: '1999999999' })).toBe('1.999999999 AVAX < 1.999 + 0.001');
  expect(sums({ assetID: 'abcdefghijklmnopqrstuvwxyz', have: '5', amount: '5', fee: '0' })).toMatch(/^5 abc.* ≥ 5$/);
  expect(sums(fee, fee, fee, fee)?.split('; ')).toHaveLength(3);
  expect(rowsOf(check('amounts and fee', 'fail'))[0]?.note).toBe('');
});

test('a dropped transaction is told why, and whether its bytes can be sent again', () => {
  const say = (code: string, data?: object, checks?: object) =>
    dropSentence({ code, message: 'the message', ...(data && { data: data as never }) }, checks as never);
  const spent = { isSpent: true, path: 'inputs[3]' };
  expect(say('TX_UTXO_NOT_FOUND', spent)).toBe(
    'Input 3 was spent by another transaction before this one reached a block. Sending the same bytes again gives the same answer: build it from unspent outputs.',
  );
  expect(say('TX_UTXO_NOT_FOUND', { isSpent: true }, { isIssuable: true })).toBe(
    'An input was spent by another transaction, which is no longer in the chain. Its bytes can be sent again.',
  );
  expect(say('TX_UTXO_NOT_FOUND', { path: 'importedInputs[0].x', createdByStatus: 'Processing' })).toBe(
    'Input 0 spends an output of a transaction that still waits for a block. Send it again when that one is accepted, or use wallet.issueTx.',
  );
  expect(say('TX_UTXO_NOT_FOUND', { isSpent: false })).toBe('the message');
  expect(say('MEMPOOL_CONFLICT')).toContain('Only one of them can be accepted');
  expect(say('MEMPOOL_DROPPED_BY_CALLER')).toBe('It was removed from the mempool by a caller of dev.dropTx.');
  expect(say('MEMPOOL_DROPPED_BY_CALLER', {}, { isIssuable: false, refusal: { message: 'why' } })).toEndWith(
    ' Its bytes would be refused now: why.',
  );
  expect(say('MEMPOOL_DROPPED_BY_CALLER', {}, { isIssuable: false })).toEndWith('refused now: a check fails.');
  expect(say('TX_TIME_LOCKED', { path: 'outputs[1]' })).toStartWith('An input spends an output that is still locked.');
  expect(say('TX_OTHER')).toBe('the message');
});
