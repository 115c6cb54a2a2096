import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createNamedValidators, createPeerValidators } from './peer-validators.ts';

const node = (first: string) => first.repeat(20) as NodeId;

test('this node and every connected peer have the same weight; for proposers there are no validators', async () => {
  const validators = createPeerValidators(node('01'));
  const alone = validators.current();
  validators.connected(node('02'));
  validators.connected(node('02'));
  validators.connected(node('03'));
  const three = validators.current();
  expect([...three]).toEqual(['01', '02', '03'].map((first) => [node(first), 100n]));
  validators.disconnected(node('02'));
  validators.disconnected(node('09'));
  validators.disconnected(node('01'));
  expect([...validators.current().keys()]).toEqual([node('01'), node('03')]);
  // A set that was returned does not change.
  expect([alone.size, three.size]).toEqual([1, 3]);
  await validators.load(7n);
  expect([validators.at(7n)?.size, validators.proposedHeight(), validators.knownHeight()]).toEqual([0, 0n, 2n ** 64n - 1n]);
});

test('named validators stay, connected or not', () => {
  const validators = createNamedValidators([node('01'), node('02'), node('02')], 1n);
  expect([...validators.current()]).toEqual([
    [node('01'), 1n],
    [node('02'), 1n],
  ]);
  expect([validators.at(7n)?.size, validators.proposedHeight(), validators.knownHeight()]).toEqual([0, 0n, 2n ** 64n - 1n]);
});
