import { expect, test } from 'bun:test';
import { createTestChains } from './test-chains.ts';

test('a webhook of one test is gone in the next', async () => {
  const chains = createTestChains({ accounts: 1 });
  const list = async (fetch: (target: string) => Promise<Response>): Promise<unknown> =>
    ((await (await fetch('/v1/webhooks')).json()) as { webhooks: unknown }).webhooks;
  await chains.lend(async ({ fetch, accounts }) => {
    const body = JSON.stringify({
      url: 'http://127.0.0.1:9/',
      eventType: 'primary_network_address_activity',
      metadata: { keyType: 'addresses', keys: [accounts[0]?.address] },
    });
    const answer = await fetch('/v1/webhooks', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)]);
    expect(await list(fetch)).toHaveLength(1);
  });
  await chains.lend(async ({ fetch }) => expect(await list(fetch)).toEqual([]));
  await chains.close();
});

test('a snapshot of one test is gone in the next, also one of the new chain', async () => {
  const chains = createTestChains({ accounts: 1 });
  await chains.lend(async ({ dev }) => {
    await dev.snapshot('mine');
  });
  await chains.lend(async ({ dev }) => {
    const { snapshots } = await dev.listSnapshots();
    expect(snapshots.map(({ name }) => name)).not.toContain('mine');
  });
  await chains.close();
});
