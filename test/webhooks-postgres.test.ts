import { describe, expect, test } from 'bun:test';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { eventually } from './processes.ts';
import { startIndexer, startProgram } from './program.ts';
import { createSelfTransfers } from './self-transfers.ts';
import { hasServers, openServers, suiteName } from './servers.ts';
import type { Key } from './wallet-kit.ts';
import { addressHook, createWebhookCalls, startReceiver } from './webhook-receiver.ts';

const format = createAddressFormatter('X', 'local');

describe.skipIf(!hasServers)(suiteName('webhooks in PostgreSQL', hasServers), () => {
  test('serac api manages them, one serac index delivers; another takes over after kill -9 without loss and in order', async () => {
    const servers = await openServers('webhooks');
    const receiver = startReceiver();
    const { wallet, send } = createSelfTransfers('webhooks-postgres');
    const [, first, second] = wallet.keys as [Key, Key, Key];
    const flags = [`--database-url=${servers.database}`];
    const node = await startProgram();
    const startOne = () => startIndexer(node.url, ...flags, '--webhook-private-targets');
    const indexers = [startOne()];
    const api = await startProgram('api', ...flags, '--dev-token=secret-token', '--webhook-private-targets');
    // The first one writes already, since the API has found an index; this one waits.
    indexers.push(startOne());
    try {
      const call = createWebhookCalls(api.url, { authorization: 'Bearer secret-token' });
      expect((await createWebhookCalls(api.url)('GET', '')).status).toBe(403);
      const keys = [first, second].map(({ address }) => format(address));
      const { id } = (await call('POST', '', addressHook(receiver.url, keys))).json;
      const sent: { readonly id: string; readonly to: Key }[] = [];
      const transfer = async (count: number): Promise<void> => {
        for (let i = 0; i < count; i++) {
          const to = i % 3 === 0 ? second : first;
          for (const txID of await send(node.client, 1, to)) sent.push({ id: txID, to });
        }
      };
      await transfer(12);
      await eventually(receiver.txIDs, (ids) => ids.length === sent.length, 60_000);
      // Two processes run, one delivers: nothing came twice.
      expect(receiver.requests).toHaveLength(sent.length);

      let isBusy = true;
      receiver.answer = async () => {
        await Bun.sleep(20);
        return isBusy ? new Response(null, { status: 503 }) : new Response('ok');
      };
      await transfer(6);
      await eventually(
        () => receiver.requests.length,
        (count) => count > 13,
        60_000,
      );
      await indexers[0]?.stop('SIGKILL');
      isBusy = false;
      await transfer(6);
      await eventually(receiver.txIDs, (ids) => ids.length === sent.length, 60_000);
      for (const key of [first, second]) {
        const expected = sent.filter(({ to }) => to === key).map((tx) => tx.id);
        expect(receiver.txIDs().filter((txID) => expected.includes(txID))).toEqual(expected);
      }
      const { json } = await eventually(
        () => call('GET', `/${id}`),
        (answer) => answer.json.delivery.delivered >= sent.length,
        60_000,
      );
      expect(json.delivery.gap).toBeUndefined();
      expect((await call('PATCH', `/${id}`, { status: 'inactive' })).json.status).toBe('inactive');
      expect((await call('DELETE', `/${id}`)).status).toBe(200);
      expect((await call('GET', '')).json).toEqual({ webhooks: [] });
    } finally {
      await Promise.all([...indexers.map((one) => one.stop('SIGKILL')), api.stop(), node.stop()]);
      receiver.stop();
      await servers.close();
    }
  });
});
