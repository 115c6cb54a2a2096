import { expect, test } from 'bun:test';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { nodeId, seededBytes } from '../consensus/engine.fixture.ts';
import { planSegments } from './segments.ts';

const idAt = (height: number): Id => idOf(Buffer.from(`${height}`));
const last = { id: idAt(0), height: 0n };
const [beacon, stranger] = [nodeId(1), nodeId(2)];

/**
 * Segments up to a tip, as `below-top`, where the beacon has blocks up to `reach` and has accepted those at `accepted` heights (undefined: all). `asked`: who
 * was asked for ends.
 */
async function plan(
  tip: number,
  size: number,
  { reach = tip, accepted = undefined as readonly number[] | undefined, peers = [beacon, stranger] } = {},
) {
  const asked = new Set<NodeId>();
  const isAccepted = (id: Id): boolean => accepted === undefined || accepted.some((height) => idAt(height) === id);
  const requester = {
    ask: async (node: NodeId, message: { kind: string; requestedHeight: bigint; containerIds: readonly Id[] }) => {
      if (message.kind === 'getAccepted') return { containerIds: message.containerIds.filter(isAccepted) };
      asked.add(node);
      return { acceptedHeight: BigInt(reach), preferredIdAtHeight: idAt(Number(message.requestedHeight)) };
    },
  };
  const segments = await planSegments(last, { id: idAt(tip), height: BigInt(tip) }, size, {
    beacons: new Map([[beacon, 1n]]),
    peers: () => peers,
    requester: requester as never,
    randomBytes: seededBytes(),
  });
  for (const { top, topId } of segments) expect(topId).toBe(idAt(Number(top)));
  return { segments: segments.map(({ below, top }) => `${below}-${top}`), asked: [...asked] };
}

test('the way to the tip is divided at checkpoints that beacons name; strangers are asked only if no beacon is connected', async () => {
  expect(await plan(250, 100)).toEqual({ segments: ['0-100', '100-200', '200-250'], asked: [beacon] });
  expect(await plan(200, 100)).toEqual({ segments: ['0-100', '100-200'], asked: [beacon] });
  expect(await plan(100, 100)).toEqual({ segments: ['0-100'], asked: [] });
  expect((await plan(250, 100, { peers: [stranger] })).asked).toEqual([stranger]);
});

test('a checkpoint that most beacons have not accepted, or that is above what its beacon has, leaves no gap', async () => {
  expect((await plan(250, 100, { accepted: [200] })).segments).toEqual(['0-200', '200-250']);
  expect((await plan(250, 100, { reach: 199 })).segments).toEqual(['0-100', '100-250']);
  expect((await plan(250, 100, { accepted: [] })).segments).toEqual(['0-250']);
});

test('at most 64 checkpoints are asked for at once: the rest is planned when these segments are executed', async () => {
  const { segments } = await plan(10_000, 100);
  expect([segments.length, segments.at(-1)]).toEqual([64, '6300-6400']);
});

test('a segment has at most 8,192 blocks: what is behind a longer one waits, and without a first one nothing can be fetched', async () => {
  expect((await plan(20_000, 8192, { accepted: [8192] })).segments).toEqual(['0-8192']);
  await expect(plan(20_000, 8193, { accepted: [8193] })).rejects.toThrow('most beacons do not agree on a block above height 0');
});
