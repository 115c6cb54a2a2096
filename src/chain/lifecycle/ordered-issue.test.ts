import { expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import { createOrderedIssue } from './ordered-issue.ts';

const tx = (id: string) => ({ id }) as unknown as Tx;

/** Transactions named "large" wait until the test settles their preparation; those that end with "bad" are refused. */
function createTestIssue() {
  const issued: string[] = [];
  const pending = new Map<string, { readonly resolve: () => void; readonly reject: (error: string) => void }>();
  const prepare = ({ id }: Tx) =>
    id.startsWith('large') ? new Promise<void>((resolve, reject) => void pending.set(id, { resolve, reject })) : undefined;
  const issue = createOrderedIssue(prepare, ({ id }) => {
    if (id.endsWith('bad')) throw 'refused';
    issued.push(id);
  });
  return { issued, pending, issue };
}

test('a transaction that needs no preparation is issued at once', () => {
  const { issued, issue } = createTestIssue();
  expect(issue(tx('small'))).toBeUndefined();
  expect(() => issue(tx('small, bad'))).toThrow('refused');
  expect(issued).toEqual(['small']);
});

test('transactions that arrive during a preparation are issued after it, in the order of arrival', async () => {
  const { issued, pending, issue } = createTestIssue();
  const all = [issue(tx('large 1')), issue(tx('small 1')), issue(tx('large 2')), issue(tx('small 2'))];
  pending.get('large 2')?.resolve();
  await Promise.resolve();
  expect(issued).toEqual([]);
  pending.get('large 1')?.resolve();
  await Promise.all(all);
  expect(issued).toEqual(['large 1', 'small 1', 'large 2', 'small 2']);
  await Promise.resolve();
  expect(issue(tx('small 3'))).toBeUndefined();
  expect(issued.at(-1)).toBe('small 3');
});

test('a transaction that is refused or whose preparation fails does not affect the others', async () => {
  const { issued, pending, issue } = createTestIssue();
  const all = ['large 1', 'large 2, bad', 'small'].map((id) => issue(tx(id)) as Promise<void>);
  const results = Promise.allSettled(all);
  pending.get('large 1')?.reject('busy');
  pending.get('large 2, bad')?.resolve();
  expect((await results).map((result) => (result.status === 'rejected' ? result.reason : 'issued'))).toEqual(['busy', 'refused', 'issued']);
  expect(issued).toEqual(['small']);
});
