import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { canonicalJson, createMessage, createMessageID, maxMessageBytes, signBody, signMessage } from './message.ts';
import type { Webhook } from './webhook.ts';

const address = '00'.repeat(20) as Address;
const webhook: Webhook = {
  ...{
    id: 'w',
    number: 1,
    revision: 1,
    chainID: zeroId,
    owner: undefined,
    created: 0,
    url: 'http://example.org/',
    secret: 'k',
    name: '',
    description: '',
  },
  filter: { keyType: 'addresses', keys: [address] },
  isActive: true,
  inactiveReason: undefined,
};
const event = { id: 'log-5.1', kind: 'tx', txID: 't', tx: { amount: 1 }, summary: { b: 1, a: ['ä'] }, balanceChanges: [] as object[] };

test('canonical JSON has its keys in order and no spaces', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined, é: true, A: 0.5 })).toBe(
    '{"A":0.5,"b":[1,{"c":"x","d":null}],"é":true}',
  );
});

test('a message has the same ID at every attempt, and a signature over a body with the time', () => {
  const message = createMessage(webhook, event, [address], () => 'X-local1abc');
  expect(message.messageId).toBe(createMessageID('w', 'log-5.1'));
  expect(message.messageId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(createMessageID('w', 'log-5.2')).not.toBe(message.messageId);
  expect(message.event).toEqual({
    id: 'log-5.1',
    kind: 'tx',
    txID: 't',
    summary: event.summary,
    balanceChanges: [],
    addresses: ['X-local1abc'],
  });
  const [first, second] = [signMessage(message, 'key', 100), signMessage(message, 'key', 200)];
  expect(JSON.parse(first.body)).toEqual({ ...message, timestamp: 100 });
  expect(first.headers['x-signature']).toBe(signBody(first.body, 'key'));
  expect(second.headers['x-signature']).not.toBe(first.headers['x-signature']);
  // RFC 4231, test case 2.
  expect(signBody('what do ya want for nothing?', 'Jefe')).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
});

test('a body that would be too large is shortened', () => {
  const addresses = Array.from({ length: 2000 }, (_, i) => `X-local1${i}`.padEnd(50));
  const labels = Object.fromEntries(addresses.map((one) => [one, 'a label']));
  const long = { ...event, balanceChanges: addresses.map((one) => ({ address: one, change: '1' })), labels };
  const message = createMessage(webhook, long, [address], () => 'X-local1abc');
  expect(message.event).toEqual({ id: 'log-5.1', kind: 'tx', txID: 't', isShortened: true });
  expect(signMessage(message, 'key', 1).body.length).toBeLessThan(maxMessageBytes);
});
