import { expect, test } from 'bun:test';
import { describeHealth, describeNode, describeStatus, isSameStatus, logNames, type NodeReading, type NodeStatus } from './node-status.ts';

const reading: NodeReading = { height: 12n, peers: 4, isBootstrapped: true, failing: new Map() };
const failing = new Map([
  ['network', 'no peers'],
  ['X', 'behind'],
]);

test('health: bootstrapping comes before failing checks', () => {
  expect(describeHealth(reading)).toBe('healthy');
  expect(describeHealth({ ...reading, failing })).toBe('unhealthy: network, X');
  expect(describeHealth({ ...reading, failing, isBootstrapped: false })).toBe('bootstrapping');
});

test.each<[string, NodeStatus]>([
  ['waits for the AvalancheGo nodes', { state: 'waiting' }],
  ['starting', { state: 'starting' }],
  ['killed; serac testnet heal starts it again', { state: 'killed' }],
  ['frozen; serac testnet heal wakes it', { state: 'frozen' }],
  ['height 12, 4 peers, healthy', { state: 'running', ...reading }],
  ['height 12, 1 peer, healthy', { state: 'running', ...reading, peers: 1 }],
  ['height 12, 0 peers, healthy', { state: 'running', ...reading, peers: 0 }],
  ['down (exit code 1), starts again in 2.5 s', { state: 'down', exit: 'exit code 1', retryMs: 2500 }],
])('a status in words: %s', (text, status) => {
  expect(describeStatus(status)).toBe(text);
});

test('a status is the same if its words are', () => {
  expect(isSameStatus({ state: 'running', ...reading }, { state: 'running', ...reading })).toBe(true);
  expect(isSameStatus({ state: 'running', ...reading }, { state: 'running', ...reading, height: 13n })).toBe(false);
  expect(isSameStatus({ state: 'killed' }, { state: 'frozen' })).toBe(false);
});

test('other processes see what belongs to them', () => {
  const node = { number: 3, kind: 'Serac', nodeID: 'NodeID-A', url: 'u', stakingAddress: 's', folder: 'f', command: ['serac'] } as const;
  expect(describeNode(node)).toEqual({ node: 3, kind: 'Serac', nodeID: 'NodeID-A', url: 'u', stakingAddress: 's', dataDir: 'f' });
  expect(logNames).toEqual({ Serac: 'serac.log', AvalancheGo: 'avalanchego.log' });
});
