import { describe, expect, test } from 'bun:test';
import { isPublicIp, parseIp } from '../../base/bytes/ip-address.ts';
import { parseNodeId } from '../../base/bytes/node-id.ts';
import { defaultEngineParameters } from '../../network/consensus/engine-parameters.ts';
import { defaultServedLimits } from '../../network/consensus/getter.ts';
import { defaultNetworkOptions, networkFlags } from '../../network/peers/network-flags.ts';
import { configFrom } from './config.ts';
import { flagTable } from './flag-table.ts';
import { parseFlags } from './flags.ts';

const nodeID = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';

function joinOf(...flags: string[]) {
  const parsed = parseFlags(['join', ...flags], {});
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  const config = configFrom(parsed.options, parsed.command);
  if (config.mode.kind !== 'join') throw new Error(config.mode.kind);
  return { ...config.mode, minBlockDelay: config.minBlockDelay };
}

describe('the configuration of a joined node', () => {
  const open = '--sybil-protection-enabled=false';

  test('every option of the network layer has a flag, with the same default', () => {
    for (const { flag } of Object.values(networkFlags)) expect(Object.keys(flagTable)).toContain(flag);
    const networkNames = new Set<string>(Object.values(networkFlags).map(({ flag }) => flag));
    const limits = Object.entries(flagTable).filter(([, { group }]) => group === 'Limits of peers');
    expect(limits.filter(([name]) => !networkNames.has(name))).toEqual([]);
    expect(joinOf(open).network).toEqual(defaultNetworkOptions);
    expect(joinOf(open).chain.engineParameters).toEqual(defaultEngineParameters);
    expect(joinOf(open).minBlockDelay).toBe(1000);
    expect(joinOf(open).chain.served).toEqual(defaultServedLimits);
  });

  test('first peers, weights and addresses come from the flags', () => {
    const join = joinOf(
      open,
      '--bootstrap-ips=127.0.0.1:9651,[::1]:9653',
      `--bootstrap-ids=${nodeID},${nodeID}`,
      '--sybil-protection-disabled-weight=7',
      '--staking-host=127.0.0.2',
      '--staking-port=9661',
      '--snow-quorum-size=18',
      '--proposervm-min-block-delay=0s',
      '--bootstrap-ancestors-max-containers-sent=30',
      '--bootstrap-ancestors-max-containers-received=40',
      '--bootstrap-max-time-get-ancestors=20ms',
      '--network-maximum-inbound-timeout=3s',
    );
    const node = parseNodeId(nodeID);
    expect(join.beacons).toEqual([
      { node, endpoint: { ip: '127.0.0.1', port: 9651 } },
      { node, endpoint: { ip: '::1', port: 9653 } },
    ]);
    expect(join.validators).toEqual({ weight: 7n });
    expect(join.chain.served).toEqual({ blocks: 30, milliseconds: 20, maxWait: 3000 });
    expect(join.chain.maxReceived).toBe(40);
    expect([join.publicIP, join.network.stakingHost, join.network.stakingPort]).toEqual(['127.0.0.2', '127.0.0.2', 9661]);
    expect([join.chain.engineParameters.alphaPreference, join.chain.engineParameters.alphaConfidence, join.minBlockDelay]).toEqual([
      18, 18, 0,
    ]);
    expect(joinOf('--validators-from=http://127.0.0.1:9650').validators).toEqual({ from: ['http://127.0.0.1:9650'] });
    expect(joinOf('--validators-from=http://a,http://b', '--validators-from=http://c').validators).toEqual({
      from: ['http://a', 'http://b', 'http://c'],
    });
  });

  test('fuji and mainnet have first peers, unless others are given', () => {
    const trusted = ['--validators-from=http://10.0.0.1:9650', '--data-dir=/tmp/joined'];
    const counts = { mainnet: 24, fuji: 21, local: 0 };
    for (const [network, count] of Object.entries(counts)) {
      const { beacons, builtInBeacons } = joinOf(`--network-id=${network}`, ...trusted);
      expect([network, beacons.length, new Set(builtInBeacons.map(({ node }) => node)).size]).toEqual([network, 0, count]);
      for (const { endpoint } of builtInBeacons)
        expect([isPublicIp(parseIp(endpoint.ip) as Uint8Array), endpoint.port]).toEqual([true, 9651]);
    }
    const given = joinOf('--network-id=fuji', ...trusted, '--bootstrap-ips=1.2.3.4:9651', `--bootstrap-ids=${nodeID}`);
    expect(given.beacons).toEqual([{ node: parseNodeId(nodeID), endpoint: { ip: '1.2.3.4', port: 9651 } }]);
    expect(given.builtInBeacons).toEqual([]);
  });
});
