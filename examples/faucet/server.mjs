// A faucet page: gives test money to an address, once per address and hour. PORT=3000 node server.mjs; with a URL it pays from that node's first account:
// node server.mjs http://127.0.0.1:9650

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createNode } from 'serac';
import { createClient } from 'serac/client';

const [, , url] = process.argv;
const node = url === undefined ? await createNode() : createClient({ url });
const page = await readFile(new URL('page.html', import.meta.url));

const hour = 3_600_000;
const mostRemembered = 10_000;
/** When an address was paid. The oldest are forgotten, so that it does not grow for ever. */
const paidAt = new Map();

async function pay(address) {
  const last = paidAt.get(address);
  if (last !== undefined && Date.now() - last < hour)
    return { status: 429, answer: { error: 'this address was paid less than an hour ago' } };
  paidAt.delete(address);
  paidAt.set(address, Date.now());
  if (paidAt.size > mostRemembered) paidAt.delete(paidAt.keys().next().value);
  try {
    const { txID } = await node.dev.faucet({ to: address, amount: '2 AVAX' });
    return { status: 200, answer: { txID } };
  } catch (error) {
    paidAt.delete(address);
    return { status: 400, answer: { error: error.message } };
  }
}

/** The body of a request, of which more than a kilobyte is refused. */
async function readBody(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 1024) return undefined;
  }
  return text;
}

const server = createServer(async (request, response) => {
  const send = (status, type, body) => response.writeHead(status, { 'content-type': type }).end(body);
  if (request.method === 'GET' && request.url === '/') return send(200, 'text/html; charset=utf-8', page);
  if (request.method !== 'POST' || request.url !== '/pay') return send(404, 'text/plain', 'not found');
  const address = await readBody(request);
  const { status, answer } = address === undefined ? { status: 413, answer: { error: 'too long' } } : await pay(address.trim());
  send(status, 'application/json', JSON.stringify(answer));
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
process.once('SIGTERM', async () => {
  server.close();
  await node.close?.();
});
