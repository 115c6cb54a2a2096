/**
 * Webhooks through @avalabs/avacloud-sdk 0.13.0, as its users manage them.
 *
 * | Call                                    | Cannot, and why                                                                  |
 * |-----------------------------------------|----------------------------------------------------------------------------------|
 * | addresses.add, addresses.remove         | the change is made, but it reads the response as that of an EVM webhook only     |
 * | getSharedSecret,                        | a webhook has its own secret: in the response of create, which the client drops, |
 * | generateOrRotateSharedSecret            | and of POST /v1/webhooks/ID/secret                                               |
 * | webhooks of an asset                    | it has no type for them                                                          |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { AvaCloudSDK } from '@avalabs/avacloud-sdk';
import type { PrimaryNetworkAddressActivityRequest } from '@avalabs/avacloud-sdk/models/components';
import { eventually } from '../../processes.ts';
import { type Receiver, startReceiver } from '../../webhook-receiver.ts';
import { expectError, openAvacloud, readAllPages } from './data-client.ts';
import { type Node, startNode } from './node.ts';

const [first, second] = ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465'];

let node: Node;
let receiver: Receiver;
beforeAll(async () => {
  node = await startNode('--accounts=1');
  receiver = startReceiver();
});
afterAll(async () => {
  receiver.stop();
  await node.close();
});

const openWebhooks = () => {
  const { errors, at } = openAvacloud(node.url);
  return { webhooks: new AvaCloudSDK({ network: 'fuji', serverURL: node.url }).webhooks, errors, at };
};

const newHook = (keys: string[], name: string): PrimaryNetworkAddressActivityRequest => ({
  eventType: 'primary_network_address_activity',
  url: receiver.url,
  network: 'fuji',
  chainId: 'x-chain',
  name,
  metadata: { keyType: 'addresses', keys, subEvents: { addressActivitySubEvents: ['balance_change'] } },
});

/** What AvaCloud's documentation tells a receiver to do: parse, write with sorted keys, sign, compare. */
function verifySignature(body: string, signature: string | null, secret: string): boolean {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, one]) => [key, sorted(one)]),
          )
        : value;
  return (
    createHmac('sha256', secret)
      .update(JSON.stringify(sorted(JSON.parse(body))))
      .digest('hex') === signature
  );
}

test('avacloud: create, list, get, update, deactivate', async () => {
  const { webhooks, errors, at } = openWebhooks();
  const created = await webhooks.create(newHook([first], 'one'), at);
  const others = [await webhooks.create(newHook([first], 'two'), at), await webhooks.create(newHook([second], 'three'), at)];
  expect(created).toMatchObject({ url: receiver.url, status: 'active', eventType: 'primary_network_address_activity', name: 'one' });
  expect(created.metadata).toMatchObject({ keys: [first], subEvents: { addressActivitySubEvents: ['balance_change'] } });
  expect(await webhooks.get({ id: created.id }, at)).toEqual(created);
  const listed = await readAllPages(webhooks.list({ pageSize: 2 }, at), ({ result }) => result.webhooks);
  expect(listed.map(({ id }) => id)).toEqual([created, ...others].map(({ id }) => id));

  const updateWebhookRequest = { name: 'later', description: 'stopped', status: 'inactive' } as const;
  expect(await webhooks.update({ id: created.id, updateWebhookRequest }, at)).toMatchObject({ name: 'later', status: 'inactive' });
  const inactive = await readAllPages(webhooks.list({ status: 'inactive' }, at), ({ result }) => result.webhooks);
  expect(inactive.map(({ name }) => name)).toEqual(['later']);

  for (const { id } of [created, ...others]) expect(await webhooks.deactivate({ id }, at)).toMatchObject({ id, status: 'inactive' });
  await expectError(errors.missing, webhooks.get({ id: created.id }, at));
  await expectError(errors.bad, webhooks.create({ ...newHook([first], ''), url: 'ftp://127.0.0.1/' }, at));
});

test('avacloud: addresses are added, listed and removed', async () => {
  const { webhooks, errors, at } = openWebhooks();
  const { id } = await webhooks.create(newHook([first], 'addresses'), at);
  const list = () => readAllPages(webhooks.addresses.list({ id, pageSize: 1 }, at), ({ result }) => result.addresses);
  await expectError(errors.unreadable, webhooks.addresses.add({ id, addressesChangeRequest: { addresses: [second] } }, at));
  expect(await list()).toEqual([first, second]);
  await expectError(errors.unreadable, webhooks.addresses.remove({ id, addressesChangeRequest: { addresses: [first] } }, at));
  expect(await list()).toEqual([second]);
  await webhooks.deactivate({ id }, at);
});

test('avacloud: a delivery, verified as its documentation says', async () => {
  const { webhooks, at } = openWebhooks();
  const { id } = await webhooks.create(newHook([second], 'delivered'), at);
  const { secret } = (await (await fetch(`${node.url}/v1/webhooks/${id}/secret`, { method: 'POST' })).json()) as { secret: string };
  const { txID } = await node.call<{ txID: string }>('/ext/dev', 'dev.send', { to: second, amount: '5' });
  const got = await eventually(
    () => receiver.requests.find(({ message }) => message.webhookId === id && message.event.txID === txID),
    (found) => found !== undefined,
  );
  expect(got?.message).toMatchObject({ webhookId: id, eventType: 'primary_network_address_activity', event: { addresses: [second] } });
  expect(verifySignature(got?.body ?? '', got?.headers.get('x-signature') ?? null, secret)).toBe(true);
  expect(verifySignature(got?.body ?? '', got?.headers.get('x-signature') ?? null, `${secret}0`)).toBe(false);
  await webhooks.deactivate({ id }, at);
});
