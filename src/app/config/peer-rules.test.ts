import { describe, expect, test } from 'bun:test';
import { parseNodeId } from '../../base/bytes/node-id.ts';
import { parseFlags } from './flags.ts';
import { joinConfigFrom } from './join-config.ts';

const open = '--sybil-protection-enabled=false';

function parse(...argv: string[]) {
  const parsed = parseFlags(argv, {});
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed;
}

describe('flags of nodes with peers', () => {
  const refused: [argv: string[], message: string][] = [
    [['join', '--network-id=fuji', open], 'sybil protection disabled on public network fuji'],
    [['join', '--network-id=mainnet'], 'does not fit into memory'],
    [['join', '--network-id=fuji', '--echo-other-chains'], 'refused on fuji'],
    [['join', open, '--peer-version=new'], '--peer-version: "new" is not a version such as 1.14.2'],
    [['join'], 'give a node of the network with --validators-from URL, or join a network without sybil protection'],
    [['join', open, '--validators-from', 'http://127.0.0.1:9650'], '--validators-from: without sybil protection'],
    [
      ['join', '--validators=NodeID-a', '--validators-from=http://a'],
      '--validators: with sybil protection the validators are those of the P-Chain',
    ],
    [['join', open, '--validators='], '--validators: names no node'],
    [['testnet', '3', '--validators=NodeID-a'], '--validators: serac testnet chooses this for each node'],
    [['join', open, '--accounts=3'], '--accounts belongs to serac dev: peers decide the blocks of a joined node'],
    [['join', open, '--fork-url=http://a'], 'no time travel, snapshots, forks and state files'],
    [['join', open, '--state=f'], 'state files'],
    [['join', open, '--chains=c.json'], 'additional chains decide their blocks alone'],
    [['join', open, '--snow-sample-size=40'], 'half of the sample (40) < preference quorum (15)'],
    [['join', open, '--snow-quorum-size=21'], 'confidence quorum (21) <= sample'],
    [['join', open, '--snow-concurrent-repolls=21'], 'must be from 1 to --snow-commit-threshold: 21, 20'],
    [['testnet'], 'usage: serac testnet NODES'],
    [['testnet', 'five'], '"five" is not a number of nodes from 1 to 50'],
    [['testnet', '3', '--avalanchego-nodes=2'], 'needs the path of the program'],
    [['testnet', '3', '--avalanchego=/a'], 'needs the number of nodes'],
    [['testnet', '3', '--staking-port=1'], '--staking-port: serac testnet chooses this for each node'],
    [['testnet', '3', '--network-id=fuji'], 'a test network needs an ID of its own'],
  ];
  for (const [argv, message] of refused)
    test(argv.join(' '), () => {
      const parsed = parseFlags(argv, {});
      expect(parsed).toMatchObject({ kind: 'error', exitCode: 2 });
      expect(parsed.kind === 'error' && parsed.message).toContain(message);
    });

  test('fuji and mainnet can be joined with a trusted node, first peers and a directory; peers with private addresses are not dialled there', () => {
    const first = ['--bootstrap-ips=1.2.3.4:9651', '--bootstrap-ids=NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'];
    const flags = ['--validators-from=http://10.0.0.1:9650', '--data-dir=/tmp/a', ...first];
    for (const name of ['fuji', 'mainnet'])
      expect(joinConfigFrom(parse('join', `--network-id=${name}`, ...flags).options).network.allowPrivateIps).toBe(false);
    expect(joinConfigFrom(parse('join', '--network-id=9', ...flags).options).network.allowPrivateIps).toBe(true);
  });

  test('without sybil protection the validators are the connected nodes, or those that are named', () => {
    const id = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
    const validatorsOf = (...flags: string[]) => joinConfigFrom(parse('join', open, ...flags).options).validators;
    expect(validatorsOf()).toEqual({ weight: 100n });
    expect(validatorsOf(`--validators=${id}`, '--sybil-protection-disabled-weight=1')).toEqual({ weight: 1n, named: [parseNodeId(id)] });
    expect(() => validatorsOf('--validators=NodeID-x')).toThrow('--validators: "NodeID-x" is not a node ID such as NodeID-');
  });

  test('they work on serac join, and have no effect elsewhere', () => {
    const flags = [
      open,
      '--snow-sample-size=30',
      '--snow-quorum-size=20',
      '--network-ping-frequency=1s',
      '--benchlist-bench-probability=0.75',
    ];
    expect(parse('join', ...flags).warnings).toEqual([]);
    expect(parse('join', ...flags).options).toMatchObject({
      'sybil-protection-enabled': false,
      'snow-sample-size': 30,
      'snow-quorum-size': 20,
      'network-ping-frequency': 1000,
      'benchlist-bench-probability': 0.75,
    });
    const names = flags.map((flag) => flag.replace(/=.*/, '')).join(', ');
    expect(parse(...flags).warnings).toEqual([`AvalancheGo flags without effect in Serac: ${names}`]);
    expect(parse('follow', 'http://a', ...flags).warnings).toEqual([`AvalancheGo flags without effect in serac follow: ${names}`]);
    expect(parse('join', open, '--index-enabled').warnings).toEqual(['AvalancheGo flags without effect in serac join: --index-enabled']);
  });
});
