import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey } from './api-keys.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { addressHook, createWebhookCalls, signatureOf, startReceiver } from './webhook-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-attempts-'));
const receiver = startReceiver();
afterAll(() => {
  receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});
const start = (): Promise<Program> => startProgram(`--data-dir=${folder}`, '--workers=1', '--accounts=2');

test('the last attempts of a webhook are listed with their answers and bodies, also after a restart, and one can be sent again', async () => {
  let node = await start();
  try {
    const { header } = await createKey(`--data-dir=${folder}`);
    const { accounts } = (await node.client.call('/ext/dev', 'dev.accounts', {})).result as unknown as { accounts: { address: string }[] };
    receiver.answer = () => new Response('', { status: receiver.requests.length === 1 ? 500 : 200 });
    const hook = (await createWebhookCalls(node.url)('POST', '', addressHook(receiver.url, [accounts[1]?.address ?? '']))).json;
    const list = async () => {
      const r = await createWebhookCalls(node.url)('GET', `/${hook.id}/attempts`);
      if (!r.json.attempts) console.log(hook, r);
      return r.json.attempts;
    };
    await node.client.call('/ext/dev', 'dev.faucet', { to: 1, amount: '1 AVAX' });
    const attempts = await eventually(list, (found) => found.length === 2);
    expect(attempts).toMatchObject([
      { number: 2, attempt: 2, status: 200, isSentAgain: false, body: receiver.requests[1]?.body },
      { number: 1, attempt: 1, status: 500, isSentAgain: false, error: expect.stringContaining('answered with status 500') },
    ]);
    // Whoever has another key sees neither the webhook nor its attempts.
    const others = createWebhookCalls(node.url, header);
    expect((await others('GET', `/${hook.id}/attempts`)).status).toBe(404);
    expect((await others('POST', `/${hook.id}/attempts/1`)).status).toBe(404);

    await node.stop();
    node = await start();
    expect(await list()).toEqual(attempts);
    expect((await createWebhookCalls(node.url)('POST', `/${hook.id}/attempts/99`)).status).toBe(404);
    expect((await createWebhookCalls(node.url)('POST', `/${hook.id}/attempts/2`)).status).toBe(200);
    const [again] = await eventually(list, (found) => found.length === 3);
    expect(again).toMatchObject({ number: 3, status: 200, isSentAgain: true, messageId: attempts[0].messageId });
    const [, second, third] = receiver.requests;
    expect(receiver.requests).toHaveLength(3);
    expect(third?.message).toMatchObject({ messageId: second?.message.messageId, event: second?.message.event, isSentAgain: true });
    expect(third?.headers.get('x-signature')).toBe(signatureOf(third?.body ?? '', hook.secret));

    const page = await (await fetch(`${node.url}/webhooks?webhook=${hook.id}`, { headers: { accept: 'text/html' } })).text();
    for (const text of ['Last deliveries to', 'sent again', 'answered with status 500', 'Send attempt 3 again'])
      expect(page).toContain(text);
  } finally {
    await node.stop();
  }
});
