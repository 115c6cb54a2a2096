import { describe, expect, test } from 'bun:test';
import { planTestnet, type TestnetOptions } from './plan.ts';

const options: TestnetOptions = {
  seracNodes: 2,
  avalancheGoNodes: 2,
  folder: '/t',
  ports: [
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
  ],
  seracFlags: ['--log-level=debug'],
  avalancheGoFlags: ['--fd-limit=9'],
  seracCommand: ['serac', 'join'],
  avalancheGoCommand: ['avalanchego'],
};

describe('the plan of a testnet', () => {
  const nodes = planTestnet(options, ['A', 'B', 'C', 'D']);
  const flag = (at: number, name: string) => nodes[at]?.command.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);

  test('AvalancheGo nodes list only AvalancheGo nodes, Serac nodes list all others', () => {
    expect(nodes.map(({ kind }) => kind)).toEqual(['AvalancheGo', 'AvalancheGo', 'Serac', 'Serac']);
    expect([0, 1, 2, 3].map((at) => flag(at, 'bootstrap-ids'))).toEqual(['B', 'A', 'A,B,D', 'A,B,C']);
    expect(flag(2, 'bootstrap-ips')).toBe('127.0.0.1:2,127.0.0.1:4,127.0.0.1:8');
  });

  test('each node has ports and a data directory of its own', () => {
    expect(nodes.map(({ url }) => url)).toEqual([1, 3, 5, 7].map((port) => `http://127.0.0.1:${port}`));
    expect(nodes.map((_, at) => flag(at, 'staking-port'))).toEqual(['2', '4', '6', '8']);
    expect(new Set(nodes.map(({ folder }) => folder)).size).toBe(4);
  });

  test('Serac nodes answer for the other chains only beside AvalancheGo nodes', () => {
    expect(nodes[2]?.command).toContain('--echo-other-chains');
    expect(nodes[0]?.command).not.toContain('--echo-other-chains');
    const alone = planTestnet({ ...options, avalancheGoNodes: 0 }, ['A', 'B']);
    expect(alone.flatMap(({ command }) => command)).not.toContain('--echo-other-chains');
  });

  test('without AvalancheGo nodes more than half of all nodes decide, connected or not; flags about polls replace that', () => {
    const majority = (seracFlags: string[]) =>
      planTestnet({ ...options, avalancheGoNodes: 0, seracFlags }, ['A', 'B', 'C', 'D'])[1]?.command.filter((word) =>
        /validators|snow|weight/.test(word),
      );
    expect(majority([])).toEqual([
      '--validators=A,B,C,D',
      '--sybil-protection-disabled-weight=1',
      '--snow-sample-size=4',
      '--snow-quorum-size=3',
    ]);
    expect(majority(['--snow-quorum-size=13'])).toEqual(['--snow-quorum-size=13', '--validators=A,B,C,D']);
    expect(nodes[2]?.command.join()).not.toContain('--validators');
  });
});
