import { expect, test } from 'bun:test';
import type { NodeStatus, TestnetNode } from '../testnet/node-status.ts';
import { formatChange, formatChangeJson, formatNodes, type NodeRow } from './testnet-lines.ts';

const createRow = (number: number, status: NodeStatus, kind: TestnetNode['kind'] = 'Serac'): NodeRow => ({
  node: { number, kind, nodeID: 'N', url: '', stakingAddress: '', folder: '', command: [] },
  status,
  usage: status.state === 'running' ? { cpuPercent: 4.4, residentBytes: 98_400_000 } : undefined,
});
const running = (failing: readonly (readonly [string, string])[], isBootstrapped = true): NodeStatus => ({
  state: 'running',
  height: 2n ** 60n,
  peers: 3,
  isBootstrapped,
  failing: new Map(failing),
});
const rows = [
  createRow(1, running([]), 'AvalancheGo'),
  createRow(
    2,
    running([
      ['X', '4 blocks behind'],
      ['network', 'no peers'],
    ]),
  ),
  createRow(3, running([], false)),
  createRow(10, { state: 'down', exit: 'exit code 1', retryMs: 1500 }),
];

test('the table has a row for each node, cut to the size of the terminal', () => {
  expect(formatNodes(rows, 120, 24).split('\n')).toEqual([
    'NODE  PROGRAM                   HEIGHT  PEERS  CPU  MEMORY  HEALTH',
    '   1  AvalancheGo  1152921504606846976      3  4 %   98 MB  healthy',
    '   2  Serac        1152921504606846976      3  4 %   98 MB  X: 4 blocks behind',
    '   3  Serac        1152921504606846976      3  4 %   98 MB  bootstrapping',
    '  10  Serac                          –      –    –       –  down (exit code 1), starts again in 1.5 s',
  ]);
  expect(formatNodes(rows, 20, 3).split('\n')).toEqual(['NODE  PROGRAM       ', '   1  AvalancheGo  1', '… 3 more nodes']);
});

test('a line has the same facts, for a person and as JSON', () => {
  expect(formatChange(rows[1] as NodeRow, '12:00:00')).toBe(
    '12:00:00  node 2 (Serac): height 1152921504606846976, 3 peers, unhealthy: X, network, 4 % CPU, 98 MB',
  );
  expect(JSON.parse(formatChangeJson(rows[1] as NodeRow, 7, 'T'))).toEqual({
    event: 'node',
    time: 'T',
    level: 'info',
    node: 2,
    pid: 7,
    state: 'running',
    height: '1152921504606846976',
    peers: 3,
    isBootstrapped: true,
    health: 'unhealthy: X, network',
    cpuPercent: 4.4,
    residentBytes: 98_400_000,
  });
});
