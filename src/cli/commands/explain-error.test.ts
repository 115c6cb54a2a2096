import { expect, test } from 'bun:test';
import { SeracError } from '../../api/client/fault.ts';
import type { AnyFault } from '../../base/fault.ts';
import { explainError } from './explain-error.ts';

const rpcError = (message: string, data: object | null = null) => new SeracError(message, { code: 'RPC_ERROR', data } as never);
const explain = (error: unknown, typed?: object): string => (explainError(error, typed as never) as Error).message;
const lines = (error: unknown, typed?: object): string[] => explain(error, typed).split('\n       ');

test('the message of a node names commands in place of methods', () => {
  expect(explain(rpcError('call dev.mine or dev.accounts first'))).toBe('call serac mine or serac accounts first');
  expect(explain(rpcError('see avm.getUTXOs, dev.mintNFT and dev.sendNFT'))).toBe(
    'see serac address ADDRESS, serac nft mint and serac nft send',
  );
  // Methods without a command of their own, and what is no method.
  expect(explain(rpcError('see dev.setAutomine and dev.nothing'))).toBe('see serac rpc dev.setAutomine and dev.nothing');
  expect(explain(rpcError('a variable asset (mintable) is needed'))).toBe('a variable asset --mintable is needed');
});

test('an error keeps its facts, and one of another kind is returned as it is', () => {
  const other = new Error('dev.mine');
  expect(explainError(other)).toBe(other);
  const error = rpcError('no', { hint: 'try dev.mine' });
  expect((explainError(error) as AnyFault).fault as object).toBe(error.fault as object);
  expect(explain(new SeracError('dev.mine', { code: 'NODE_UNREACHABLE', url: 'u' } as never))).toBe('dev.mine');
});

test('messages are bounded and have no control characters', () => {
  expect(explain(rpcError('x'.repeat(5000)))).toHaveLength(2000);
  expect(explain(rpcError('red \x1b[31m'))).not.toContain('\x1b');
});

test('the data of an error is told in words', () => {
  expect(lines(rpcError('no', { code: 'DEV_INSUFFICIENT_FUNDS', account: 3 }))[1]).toStartWith('serac balance 3 lists all');
  expect(lines(rpcError('no', { code: 'DEV_INSUFFICIENT_FUNDS', address: 'X-a' }))[1]).toStartWith('serac balance X-a lists all');
  expect(lines(rpcError('no', { code: 'RPC_BAD_ARGUMENT', argument: 'amount', expected: 'an integer' }))).toEqual([
    'no',
    'amount must be an integer',
  ]);
  expect(lines(rpcError('no', { code: 'RPC_BAD_ARGUMENT', argument: 'amount' }))).toEqual(['no', 'amount must be of another type']);
  expect(lines(rpcError('no', { argument: 'amount' }))).toEqual(['no']);
  expect(lines(rpcError('no', { unknownParams: [{ name: 'a' }, { name: 'b' }] }))).toEqual([
    'no',
    'the node does not know the parameters a, b',
  ]);
  expect(lines(rpcError('no', { didYouMean: 'dev.mine', replacedBy: 'GET /x', path: '/ext/info', hint: 'wait' }))).toEqual([
    'no',
    'did you mean serac mine?',
    'instead: GET /x',
    'it is served at /ext/info',
    'wait',
  ]);
  expect(lines(rpcError('no', { spentBy: 'tx' }))).toEqual(['no', 'it was spent by the transaction tx']);
  expect(lines(rpcError('spent by tx', { spentBy: 'tx' }))).toEqual(['spent by tx']);
  expect(lines(rpcError('no', { hint: '' }))).toEqual(['no']);
});

test('a wrong address is corrected, unless the message does it', () => {
  expect(lines(rpcError('no', { address: 'X-a', expected: 'X-b' }))).toEqual(['no', 'did you mean X-b?']);
  expect(lines(rpcError('use X-b', { address: 'X-a', expected: 'X-b' }))).toEqual(['use X-b']);
});

test('the typed command is shown with the right address, quoted for a shell and without secrets', () => {
  const error = rpcError('use X-b', { address: 'X-a', expected: 'X-b' });
  const given = new Map([
    ['from', { source: '--from', texts: ["it's"] }],
    ['dev-token', { source: '--dev-token', texts: ['secret'] }],
    ['url', { source: 'SERAC_URL', texts: ['http://n'] }],
  ]);
  expect(lines(error, { name: 'send', args: ['X-a', '1.5'], given })).toEqual([
    'use X-b',
    "this works: serac send X-b 1.5 '--from=it'\\''s'",
  ]);
  expect(lines(error, { name: 'send', args: ['bob', '1'], given: new Map([['from', { source: '--from', texts: ['X-a'] }]]) })).toEqual([
    'use X-b',
    'this works: serac send bob 1 --from=X-b',
  ]);
  // The address was not typed: nothing to correct.
  expect(lines(error, { name: 'send', args: ['bob', '1'], given: new Map() })).toEqual(['use X-b']);
});

test('a status tells what to do', () => {
  const status = (number: number, path: string) =>
    lines(new SeracError('no', { code: 'NODE_HTTP', url: `http://n${path}`, status: number }))
      .slice(1)
      .join(' ');
  expect(status(401, '/v1')).toContain('--api-key KEY');
  expect(status(403, '/ext/dev')).toContain('--dev-token TOKEN');
  expect(status(404, '/ext/dev/state')).toContain('no dev methods');
  expect([status(404, '/v1'), status(500, '/ext/dev')]).toEqual(['', '']);
});
