import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createPeerTracker } from './peer-tracker.ts';

const nodeOf = (name: string) => name as unknown as NodeId;

test('peers that come with ever new keys are forgotten; those that stay keep their speed', () => {
  const tracker = createPeerTracker(randomBytes, 0);
  const stays = nodeOf('stays');
  for (let i = 0; i < 5000; i++) {
    const peers = [stays, nodeOf(`peer ${i}`)];
    const node = tracker.select(peers) as NodeId;
    tracker.started(node);
    tracker.ended(node, 1000, 10, i);
    expect(tracker.count()).toBeLessThanOrEqual(2 * peers.length + 65);
  }
  expect(tracker.count()).toBeGreaterThan(0);
});
