import { expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import { Fault } from '../../base/fault.ts';
import { createTxIssuer } from './tx-issuer.ts';

const tx = (id: string) => ({ id }) as unknown as Tx;
const refused = new Fault('refused', { code: 'TEST_REFUSED' });
const busy = new Fault('busy', { code: 'TEST_BUSY' });

/** The signers of transactions named "large" are known when the test says so; those that end with "bad" are refused. */
function createTestIssuer() {
  const issued: string[] = [];
  const observed: string[] = [];
  const pending = new Map<string, { readonly resolve: () => void; readonly reject: (error: unknown) => void }>();
  const issue = ({ id }: Tx) => {
    if (id.endsWith('bad')) throw refused;
    issued.push(id);
  };
  const issuer = createTxIssuer(
    {
      fetchAndRecover: ({ id }) =>
        id.startsWith('large') ? new Promise<void>((resolve, reject) => void pending.set(id, { resolve, reject })) : undefined,
      issue,
      issueAfterPending: issue,
      queueWalletTx: issue,
    },
    {
      onReceived: ({ id }) => observed.push(`received ${id}`),
      onVerified: () => {},
      onRefused: ({ id }, { message }) => observed.push(`${message} ${id}`),
    },
  );
  return { issued, observed, pending, issuer };
}

test('a transaction is issued when its signers are known; another one does not wait for it', async () => {
  const { issued, observed, pending, issuer } = createTestIssuer();
  const large = issuer.issue(tx('large'));
  await issuer.issue(tx('small'));
  expect(issued).toEqual(['small']);
  pending.get('large')?.resolve();
  await large;
  expect(issued).toEqual(['small', 'large']);
  await expect(issuer.issue(tx('small, bad'))).rejects.toBe(refused);
  expect(observed).toEqual(['received large', 'received small', 'received small, bad', 'refused small, bad']);
});

test('wallet transactions that arrive while signers are recovered are queued after that, in the order of arrival', async () => {
  const { issued, pending, issuer } = createTestIssuer();
  const all = ['large 1', 'small 1', 'large 2', 'small 2'].map((id) => issuer.queueWalletTx(tx(id)));
  pending.get('large 2')?.resolve();
  await Promise.resolve();
  expect(issued).toEqual([]);
  pending.get('large 1')?.resolve();
  await Promise.all(all);
  expect(issued).toEqual(['large 1', 'small 1', 'large 2', 'small 2']);
  await issuer.queueWalletTx(tx('small 3'));
  expect(issued.at(-1)).toBe('small 3');
});

test('a wallet transaction that is refused or whose recovery fails does not affect the others', async () => {
  const { issued, pending, issuer } = createTestIssuer();
  const results = Promise.allSettled(['large 1', 'large 2, bad', 'small'].map((id) => issuer.queueWalletTx(tx(id))));
  pending.get('large 1')?.reject(busy);
  pending.get('large 2, bad')?.resolve();
  expect((await results).map((result) => (result.status === 'rejected' ? result.reason : 'issued'))).toEqual([busy, refused, 'issued']);
  expect(issued).toEqual(['small']);
});
