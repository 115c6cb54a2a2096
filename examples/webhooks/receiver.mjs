// Receives webhooks, checks their signatures and drops repeats: node receiver.mjs shows it with a chain inside this program
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { createNode } from 'serac';

/** Seconds: an older request is a replay, or the clocks differ. */
const maxAge = 300;

/** Returns the message of a request, or undefined if it is not of this server. `body`: the text as it was received. */
export function verify(body, signature, secret, now = Date.now() / 1000) {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(signature ?? '', 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const message = JSON.parse(body);
  return Math.abs(now - message.timestamp) > maxAge ? undefined : message;
}

let secret = '';
/** Message IDs that were handled. They would be in a database, written in one transaction with what the message causes. */
const seen = new Set();
const { promise: received, resolve } = Promise.withResolvers();

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = verify(Buffer.concat(chunks).toString('utf8'), request.headers['x-signature'], secret);
    response.statusCode = message === undefined ? 401 : 204;
    response.end();
    if (message === undefined || seen.has(message.messageId)) return;
    seen.add(message.messageId);
    if (message.event.kind === 'tx') resolve(message.event);
  });
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

const node = await createNode();
const [, , account] = node.accounts;
const url = await node.listen(0);
const created = await fetch(`${url}/v1/webhooks`, {
  method: 'POST',
  body: JSON.stringify({
    url: `http://127.0.0.1:${server.address().port}/deposits`,
    eventType: 'primary_network_address_activity',
    metadata: { keyType: 'addresses', keys: [account.address] },
  }),
});
({ secret } = await created.json());
await node.dev.send({ to: account.address, amount: '1.5 AVAX' });

const { addresses, balanceChanges } = await received;
const { change } = balanceChanges.find(({ address }) => address === account.address);
console.log(addresses[0] === account.address, change); // true 1500000000
await node.close();
server.close();
