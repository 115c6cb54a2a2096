import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { askAccepted, askFrontiers, countConnected, isEnoughConnected } from './beacon-majority.ts';

const id = (text: string) => text as Id;
const beacons = (...weights: number[]) => new Map(weights.map((weight, at) => [`n${at}` as unknown as NodeId, BigInt(weight)]));
/** Beacons that answer a question by their name; undefined: they do not answer. `most`: how many were asked at the same time. */
function open(answers: (node: string) => object | undefined) {
  const asked: string[] = [];
  let [now, most] = [0, 0];
  const ask = async (node: NodeId, question: { kind: string }) => {
    asked.push(`${node} ${question.kind}`);
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
    return answers(`${node}`);
  };
  return { requester: { ask } as never, asked, most: () => most };
}
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

test('three quarters of the weight must be connected, rounded up', () => {
  const connected = (weights: number[], count: number) =>
    isEnoughConnected(beacons(...weights), (node) => Number(`${node}`.slice(1)) < count);
  expect(countConnected(beacons(1, 2, 3), (node) => `${node}` === 'n1')).toEqual({ connected: 2n, required: 5n, total: 6n });
  expect([connected([1, 1, 1, 1], 2), connected([1, 1, 1, 1], 3)]).toEqual([false, true]);
  expect([connected([1, 1, 1, 1, 1], 3), connected([1, 1, 1, 1, 1], 4)]).toEqual([false, true]);
  expect(connected([], 0)).toBe(true);
});

test('a block is accepted if more than half of the weight says so', async () => {
  const answers: Record<string, string[]> = { n0: ['a', 'b'], n1: ['b', 'b', 'foreign'], n2: ['c'] };
  const { requester, asked } = open((node) => (answers[node] === undefined ? undefined : { containerIds: answers[node] }));
  // Of 10: a has 5, b 5 and 1, c 3; one does not answer.
  expect(await askAccepted(beacons(5, 1, 3, 1), [id('a'), id('b'), id('c')], requester)).toEqual([id('b')]);
  expect(asked).toEqual(['n0 getAccepted', 'n1 getAccepted', 'n2 getAccepted', 'n3 getAccepted']);
});

test('a beacon that names a block twice counts once', async () => {
  const { requester } = open((node) => (node === 'n0' ? { containerIds: ['a', 'a'] } : { containerIds: [] }));
  expect(await askAccepted(beacons(2, 3), [id('a')], requester)).toEqual([]);
});

test('a sample of twenty beacons is asked for its last block, of few all of them', async () => {
  const few = open((node) => (node === 'n2' ? undefined : { containerId: node === 'n0' ? 'a' : 'b' }));
  expect((await askFrontiers(beacons(1, 1, 1, 1), few.requester, randomBytes)).sort()).toEqual([id('a'), id('b')]);
  expect(few.asked).toHaveLength(4);
  const many = open(() => ({ containerId: 'a' }));
  expect(await askFrontiers(beacons(...Array<number>(200).fill(1)), many.requester, randomBytes)).toEqual([id('a')]);
  expect(many.asked).toHaveLength(20);
});

test('at most fifty are asked at the same time', async () => {
  const { requester, asked, most } = open(() => ({ containerIds: ['a'] }));
  expect(await askAccepted(beacons(...Array<number>(120).fill(1)), [id('a')], requester)).toEqual([id('a')]);
  expect([asked.length, most()]).toEqual([120, 50]);
});
