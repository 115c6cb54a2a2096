import { expect, test } from 'bun:test';
import { createRpcClient } from '../../api/client/rpc-client.ts';
import type { ClientContext } from './client-command.ts';
import { webhookCommands } from './webhook-commands.ts';

/** What a command prints of a webhook with the given status and deliveries. */
async function printed(name: 'webhooks show' | 'webhooks list', status: string, delivery: object): Promise<string[]> {
  const webhook = { id: 'w1', url: 'https://a.example/', name: '', status, metadata: { keys: ['A', 'B', 'C', 'D'] }, delivery };
  const server = Bun.serve({ port: 0, fetch: () => Response.json(name === 'webhooks show' ? webhook : { webhooks: [webhook] }) });
  const lines: string[] = [];
  await webhookCommands[name]({
    client: createRpcClient({ url: server.url.origin }),
    args: ['w1'],
    options: { json: false },
    print: (line: string) => lines.push(line),
  } as unknown as ClientContext);
  await server.stop(true);
  return lines;
}

const failing = { delivered: 5, failedAttempts: 2, failingSince: 1_700_000_000, lastError: 'status 500' };

test('a webhook is shown with its state: active, failing with the last error, or inactive with the reason', async () => {
  const stateOf = async (status: string, delivery: object) => (await printed('webhooks show', status, delivery))[3];
  expect(await stateOf('active', { delivered: 5, failedAttempts: 0 })).toBe('state      active');
  expect(await stateOf('active', failing)).toBe('state      failing since 2023-11-14T22:13:20Z: status 500');
  expect(await stateOf('inactive', failing)).toBe('state      inactive');
  expect(await stateOf('inactive', { ...failing, inactiveReason: 'failed for 3 days' })).toBe('state      inactive: failed for 3 days');
});

test('a webhook is shown with its first keys, deliveries and lost events', async () => {
  const gap = { after: 7, time: 1_700_000_000, reason: 'the log was full' };
  expect(await printed('webhooks show', 'active', { delivered: 5, deliveredAt: 1_700_000_000, failedAttempts: 0, gap })).toEqual([
    'id         w1',
    'url        https://a.example/',
    'for        A, B, C and 1 more',
    'state      active',
    'delivered  5, the last at 2023-11-14T22:13:20Z',
    'lost       events after 7 at 2023-11-14T22:13:20Z: the log was full',
  ]);
});

test('a list names a failing webhook', async () => {
  expect((await printed('webhooks list', 'active', failing))[1]).toMatch(/^w1 +5 +failing$/);
  expect((await printed('webhooks list', 'inactive', failing))[1]).toMatch(/^w1 +5 +inactive$/);
});
