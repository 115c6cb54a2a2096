import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificates } from './certificates.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { addressHook, createWebhookCalls, type Receiver, startReceiver } from './webhook-receiver.ts';

const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
const folder = mkdtempSync(join(tmpdir(), 'serac-webhooks-tls-'));
const receivers: Receiver[] = [];
let node: Program;

const openReceiver = (name: string): Receiver => {
  const [cert, key] = ['pem', 'key'].map((ending) => readFileSync(join(folder, `${name}.${ending}`), 'utf8')) as [string, string];
  const receiver = startReceiver({ cert, key });
  receivers.push(receiver);
  return receiver;
};

beforeAll(async () => {
  createCertificates(folder);
  // What the documentation says about a certificate authority of one's own.
  process.env.NODE_EXTRA_CA_CERTS = join(folder, 'ca.pem');
  try {
    node = await startProgram('--accounts=1');
  } finally {
    delete process.env.NODE_EXTRA_CA_CERTS;
  }
});
afterAll(async () => {
  await node.stop();
  for (const receiver of receivers) receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('delivers to a trusted certificate; another name or another authority is refused, and the webhook shows why', async () => {
  const call = createWebhookCalls(node.url);
  const [trusted, renamed, unknown, byAddress] = ['server', 'renamed', 'unknown', 'server'].map(openReceiver) as [
    Receiver,
    Receiver,
    Receiver,
    Receiver,
  ];
  byAddress.url = byAddress.url.replace('localhost', '127.0.0.1');
  const create = async ({ url }: Receiver): Promise<string> => (await call('POST', '', addressHook(url, [to]))).json.id;
  const delivered = await create(trusted);
  const refused = [await create(renamed), await create(unknown), await create(byAddress)];
  const { result } = await node.client.call('/ext/dev', 'dev.send', { to, amount: '5' });
  const { txID } = result as unknown as { txID: string };
  await eventually(trusted.txIDs, (ids) => ids.includes(txID));
  const causes = [];
  for (const id of refused) {
    const { json } = await eventually(
      () => call('GET', `/${id}`),
      (answer) => answer.json.delivery.failedAttempts >= 1,
    );
    expect(json).toMatchObject({ status: 'active', delivery: { delivered: 0 } });
    causes.push(json.delivery.lastError);
  }
  expect(causes).toEqual([
    expect.stringMatching(/^the request to localhost:\d+ failed: .*altnames.*elsewhere\.example/),
    expect.stringMatching(/^the request to localhost:\d+ failed: .*(?:self.signed|unable to (?:verify|get))/i),
    expect.stringMatching(/^the request to 127\.0\.0\.1:\d+ failed: .*(?:altnames|IP)/),
  ]);
  expect([renamed, unknown, byAddress].map(({ requests }) => requests.length)).toEqual([0, 0, 0]);
  expect((await call('GET', `/${delivered}`)).json.delivery.lastError).toBeUndefined();
});
