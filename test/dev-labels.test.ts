import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DevNode, startDevNode } from './dev-node.ts';
import { openEvents, type ReceivedEvent } from './event-client.ts';

/** Labels of a node with a data directory and a reader process: where they are kept, when they end, and who gets them. */

let node: DevNode;
beforeAll(async () => {
  node = await startDevNode('with a reader process', '--accounts=3');
});
afterAll(() => node.stop());

type Label = { readonly address: string; readonly name: string };
const listNames = async (): Promise<string[]> => (await node.dev('dev.labels')).labels.map(({ name }: Label) => name);
const request = (method: string, body?: BodyInit) => fetch(`${node.program().url}/ext/dev/state`, { method, ...(body && { body }) });

test('labels stay at a revert and a restart, and end with a reset', async () => {
  await node.dev('dev.snapshot', { name: 'unnamed' });
  await node.dev('dev.label', { address: 1, name: 'alice' });
  await node.dev('dev.revert', { name: 'unnamed' });
  expect(await listNames()).toEqual(['alice']);
  await node.restart('--accounts=3');
  expect(await listNames()).toEqual(['alice']);
  const [, account] = (await node.dev('dev.accounts')).accounts;
  expect(account).toMatchObject({ index: 1, label: 'alice' });
  await node.dev('dev.reset');
  expect(await listNames()).toEqual([]);
});

test('a state file has them, and one without labels is loaded too', async () => {
  const without = await (await request('GET')).arrayBuffer();
  await node.dev('dev.label', { address: 2, name: 'bob' });
  const file = await (await request('GET')).arrayBuffer();
  await node.dev('dev.label', { address: 'bob', name: 'carol' });
  expect([(await request('PUT', file)).status, await listNames()]).toEqual([200, ['bob']]);
  // A file from before labels says nothing of them: its chain has none.
  expect(Buffer.from(without).toString('latin1', 0, 2000)).not.toContain('"labels"');
  expect([(await request('PUT', without)).status, await listNames()]).toEqual([200, []]);
});

test('events of every process name the owners that have a label, and others have no such field', async () => {
  const clients = Array.from({ length: 12 }, () => openEvents(node.program().port));
  await Promise.all(clients.map(({ until }) => until(({ kind }) => kind === 'heartbeat')));
  const before = await node.dev('dev.send', { to: 3, amount: '1 AVAX' });
  const isTx =
    (txID: string) =>
    ({ kind, data }: ReceivedEvent) =>
      kind === 'tx' && data.txID === txID;
  // An event has the labels of the moment in which it is sent.
  await Promise.all(clients.map(({ until }) => until(isTx(before.txID))));
  const { address } = await node.dev('dev.label', { address: 3, name: 'dave' });
  const after = await node.dev('dev.send', { to: 'dave', amount: '1 avax' });
  const find = (events: readonly ReceivedEvent[], txID: string) => events.find(isTx(txID))?.data;
  for (const { until, close } of clients) {
    const events = await until(isTx(after.txID));
    expect(find(events, before.txID)).not.toHaveProperty('labels');
    expect(find(events, after.txID)).toMatchObject({ labels: { [address]: 'dave' } });
    expect(events.find(({ kind }) => kind === 'settings')?.data).toEqual({ kind: 'settings', changed: 'labels' });
    close();
  }
});
