import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { openChain } from '../../ledger/state/open-chain.fixture.ts';
import type { NetworkConfig } from '../config/config.ts';
import { openDatabase } from '../platform/bun/database.ts';
import { createFollowerReadings, createSoloReadings, formatNodeAddress } from './peer-readings.ts';
import { createLabelsPart, openStoredLabels } from './stored-labels.ts';

const [alice, bob] = ['aa'.repeat(20), 'bb'.repeat(20)] as [Address, Address];

test('labels are stored, found by name, replaced and removed, also for another process of the node', () => {
  const { store, close } = openChain(openDatabase);
  const [labels, other] = [openStoredLabels(store), openStoredLabels(store)];
  expect([labels.all().size, labels.find('alice')]).toEqual([0, undefined]);
  labels.replace(
    new Map([
      [alice, 'alice'],
      [bob, 'bob'],
    ]),
  );
  expect([[...other.all()], other.find('bob'), other.find('carol')]).toEqual([
    [
      [alice, 'alice'],
      [bob, 'bob'],
    ],
    bob,
    undefined,
  ]);
  labels.replace(new Map([[bob, 'alice']]));
  expect([other.find('alice'), other.find('bob'), other.all().get(alice)]).toEqual([bob, undefined, undefined]);
  const { name, resetRows } = createLabelsPart(labels);
  resetRows?.();
  expect([name, other.all().size]).toEqual(['labels', 0]);
  expect(store.db.prepare<{ n: number }>(`SELECT count(*) AS n FROM meta WHERE name = 'labels'`).get()?.n).toBe(0);
  close();
});

test('an address of a node has an IPv6 address in brackets, and is loopback without one', () => {
  const address = (publicIP: string): string => formatNodeAddress({ publicIP, port: 9651 });
  expect([address(''), address('1.2.3.4'), address('2001:db8::1')]).toEqual(['127.0.0.1:9651', '1.2.3.4:9651', '[2001:db8::1]:9651']);
});

test('a node without peers is the only validator if it decides its blocks, and none if it follows', () => {
  const config = { peerAddress: { publicIP: '', port: 1 }, network: { upgrades: { graniteTime: 't' } } } as unknown as NetworkConfig;
  const follower = createFollowerReadings(config);
  expect([follower.uptime(), follower.registration(), follower.nodeAddress(), follower.needsPeers]).toEqual([
    undefined,
    undefined,
    '127.0.0.1:1',
    false,
  ]);
  expect([follower.network(), follower.router(), follower.upgrade(), follower.networking(undefined as never)] as unknown[]).toEqual([
    { connectedPeers: 0, sendFailRate: 0 },
    { outstandingRequests: 0, longestRunningRequest: 0n },
    { localUpgradeTime: 't', totalWeight: 1n, peers: [] },
    { disconnectedValidators: [], percentConnected: 1 },
  ]);
  const key = async () => new Uint8Array(1);
  const solo = createSoloReadings(config as never, key);
  expect([solo.uptime(), solo.registration()]).toEqual([{ rewardingStake: 100, weightedAverage: 100 }, { publicKey: key }]);
});
