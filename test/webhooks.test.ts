import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMismatches } from '../src/api/contract/schema-mismatches.fixture.ts';
import { WebhookMessageSchema, WebhookSchema } from '../src/api/contract/webhook-schemas.ts';
import { canonicalJson } from '../src/api/webhooks/message.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { idText } from '../src/base/bytes/id.ts';
import { createKey } from './api-keys.ts';
import { eventually } from './processes.ts';
import { startProgram } from './program.ts';
import { createSelfTransfers } from './self-transfers.ts';
import { type Key, localChainParams } from './wallet-kit.ts';
import { addressHook, createWebhookCalls, signatureOf, startReceiver } from './webhook-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-webhooks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const format = createAddressFormatter('X', 'local');
const receivers: { stop: () => unknown }[] = [];
afterAll(() => {
  for (const receiver of receivers) receiver.stop();
});
const openReceiver = () => {
  const receiver = startReceiver();
  receivers.push(receiver);
  return receiver;
};

describe('a developer chain', () => {
  test('delivers the transactions of an address and of an asset, signed, and a revert as what it is', async () => {
    const node = await startProgram();
    try {
      const call = createWebhookCalls(node.url);
      const [ofAddress, ofAsset] = [openReceiver(), openReceiver()];
      const { wallet, send } = createSelfTransfers('webhooks');
      const [, first, second] = wallet.keys as [Key, Key, Key];
      const created = await call('POST', '', addressHook(ofAddress.url, [format(first.address)], { name: 'deposits' }));
      expect(created.status).toBe(201);
      const { secret, ...hook } = created.json;
      expect(findMismatches(WebhookSchema, hook, { strict: true })).toEqual([]);
      const asset = idText(localChainParams.feeAsset);
      const metadata = { keyType: 'assets', keys: ['AVAX'] };
      const other = await call('POST', '', { url: ofAsset.url, eventType: 'asset_activity', metadata, secret: 'a-secret-of-my-own' });
      expect(other.json).toMatchObject({ secret: 'a-secret-of-my-own', metadata: { keys: [asset] } });

      await node.client.call('/ext/dev', 'dev.snapshot', { name: 'before' });
      const toFirst = await send(node.client, 2, first);
      const toSecond = await send(node.client, 2, second);
      await eventually(ofAsset.txIDs, (ids) => ids.length === 4);
      await eventually(ofAddress.txIDs, (ids) => ids.length === 2);
      expect(ofAddress.txIDs()).toEqual(toFirst);
      expect(ofAsset.txIDs()).toEqual([...toFirst, ...toSecond]);
      for (const { headers, body, message } of ofAddress.requests) {
        expect(headers.get('x-signature')).toBe(signatureOf(body, secret));
        // A receiver that parses the body and writes it in canonical form gets the same text.
        expect(canonicalJson(message)).toBe(body);
        expect(findMismatches(WebhookMessageSchema, message, { strict: true })).toEqual([]);
        expect(message).toMatchObject({ webhookId: hook.id, eventType: 'primary_network_address_activity' });
        expect(message.event.addresses).toEqual([format(first.address)]);
        expect(Math.abs(message.timestamp - Date.now() / 1000)).toBeLessThan(60);
      }
      expect(ofAsset.requests[0]?.headers.get('x-signature')).toBe(signatureOf(ofAsset.requests[0]?.body ?? '', 'a-secret-of-my-own'));

      await node.client.call('/ext/dev', 'dev.revert', { name: 'before' });
      const last = await eventually(
        () => ofAddress.messages().at(-1),
        (message) => message?.eventType === 'reverted',
      );
      expect(last?.event).toMatchObject({ kind: 'reverted', height: 0, snapshot: 'before' });

      const shown = await eventually(
        () => call('GET', `/${hook.id}`),
        ({ json }) => json.delivery.delivered === 3,
      );
      expect(shown.json).toMatchObject({ status: 'active', delivery: { failedAttempts: 0, position: last?.event.id } });
      expect(shown.json.secret).toBeUndefined();
    } finally {
      await node.stop();
    }
  });

  test('is managed: list in pages, changes, addresses, a new secret, deletion', async () => {
    const node = await startProgram();
    try {
      const call = createWebhookCalls(node.url);
      const receiver = openReceiver();
      const { wallet, send } = createSelfTransfers('webhooks-managed');
      const [, first, second] = wallet.keys as [Key, Key, Key];
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.push((await call('POST', '', addressHook(receiver.url, [format(first.address)]))).json.id);
      const page = (await call('GET', '?pageSize=2')).json;
      expect(page.webhooks.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
      expect((await call('GET', `?pageSize=2&pageToken=${page.nextPageToken}`)).json.webhooks.map(({ id }: { id: string }) => id)).toEqual(
        ids.slice(2),
      );
      const [id, stopped, deleted] = ids as [string, string, string];
      expect((await call('PATCH', `/${stopped}`, { status: 'inactive', name: 'later' })).json).toMatchObject({
        status: 'inactive',
        name: 'later',
      });
      expect((await call('DELETE', `/${deleted}`)).json).toMatchObject({ id: deleted, status: 'inactive' });
      expect((await call('GET', `/${deleted}`)).status).toBe(404);
      // An ID in upper case is the same one.
      const another = (await call('POST', '', addressHook(receiver.url, [format(first.address)]))).json.id as string;
      expect((await call('DELETE', `/${another.toUpperCase()}`)).json).toMatchObject({ id: another });
      expect((await call('GET', `/${another}`)).status).toBe(404);
      expect((await call('GET', '?status=inactive')).json.webhooks).toHaveLength(1);

      expect(
        (await call('PATCH', `/${id}/addresses`, { addresses: [format(second.address), format(first.address)] })).json.metadata.keys,
      ).toHaveLength(2);
      expect((await call('GET', `/${id}/addresses?pageSize=1`)).json).toMatchObject({
        totalAddresses: 2,
        addresses: [format(first.address)],
      });
      expect((await call('DELETE', `/${id}/addresses`, { addresses: [format(first.address)] })).json.metadata.keys).toEqual([
        format(second.address),
      ]);
      expect(await call('DELETE', `/${id}/addresses`, { addresses: [format(second.address)] })).toMatchObject({ status: 400 });
      const { secret } = (await call('POST', `/${id}/secret`)).json;

      const toFirst = await send(node.client, 1, first);
      const toSecond = await send(node.client, 1, second);
      await eventually(receiver.txIDs, (seen) => seen.length === 1);
      expect(receiver.txIDs()).toEqual(toSecond);
      expect(receiver.requests[0]?.headers.get('x-signature')).toBe(signatureOf(receiver.requests[0]?.body ?? '', secret));
      // What happened while it was inactive is not lost.
      await call('PATCH', `/${stopped}`, { status: 'active' });
      await eventually(receiver.txIDs, (seen) => seen.length === 2);
      expect(receiver.txIDs()).toEqual([...toSecond, ...toFirst]);
    } finally {
      await node.stop();
    }
  });

  test('tries again until the receiver answers, follows no redirect, and shows why it fails', async () => {
    const node = await startProgram();
    try {
      const call = createWebhookCalls(node.url);
      const receiver = openReceiver();
      const { wallet, send } = createSelfTransfers('webhooks-retries');
      const [, first] = wallet.keys as [Key, Key];
      let isUp = false;
      receiver.answer = () => (isUp ? new Response('ok') : new Response(null, { status: 302, headers: { location: '/elsewhere' } }));
      const { id } = (await call('POST', '', addressHook(receiver.url, [format(first.address)]))).json;
      const sent = await send(node.client, 3, first);
      const failing = await eventually(
        () => call('GET', `/${id}`),
        ({ json }) => json.delivery.failedAttempts >= 2,
      );
      expect(failing.json).toMatchObject({
        status: 'active',
        delivery: { delivered: 0, lastError: expect.stringContaining('status 302; redirects are not followed') },
      });
      expect(receiver.requests.every(({ path }) => path === '/hook')).toBe(true);
      // Every attempt is the same message, and nothing overtakes it.
      expect(new Set(receiver.messages().map(({ messageId }) => messageId)).size).toBe(1);
      isUp = true;
      await eventually(receiver.txIDs, (ids) => ids.length === 3);
      expect(receiver.txIDs()).toEqual(sent);
      const { json } = await eventually(
        () => call('GET', `/${id}`),
        (answer) => answer.json.delivery.delivered === 3,
      );
      expect(json.delivery).toMatchObject({ failedAttempts: 0 });
      expect(json.delivery.lastError).toBeUndefined();
    } finally {
      await node.stop();
    }
  });
});

test('kill -9 in the middle of deliveries: none is lost, and those of an address stay in order', async () => {
  const dataDir = `--data-dir=${join(folder, 'killed')}`;
  const receiver = openReceiver();
  let requests = 0;
  receiver.answer = async () => {
    requests++;
    await Bun.sleep(requests % 7);
    return requests % 11 === 0 ? new Response('busy', { status: 503 }) : new Response('ok');
  };
  const { wallet, send } = createSelfTransfers('webhooks-kill');
  const [, first, second] = wallet.keys as [Key, Key, Key];
  const sent: { readonly id: string; readonly to: string }[] = [];
  let id: string | undefined;
  for (let round = 0; round < 4; round++) {
    const node = await startProgram(dataDir, '--workers=1');
    const call = createWebhookCalls(node.url);
    id ??= (
      await call(
        'POST',
        '',
        addressHook(
          receiver.url,
          [first, second].map(({ address }) => format(address)),
        ),
      )
    ).json.id;
    for (let i = 0; i < 20; i++) {
      const key = i % 3 === 0 ? second : first;
      for (const txID of await send(node.client, 1, key)) sent.push({ id: txID, to: format(key.address) });
    }
    if (round < 3) {
      // Some deliveries of this round are done, others wait or run.
      await eventually(receiver.txIDs, (ids) => ids.length > sent.length - 20);
      await node.stop('SIGKILL');
    } else {
      await eventually(receiver.txIDs, (ids) => ids.length === sent.length, 90_000);
      const { json } = await eventually(
        () => call('GET', `/${id}`),
        (answer) => answer.json.delivery.failedAttempts === 0,
      );
      expect(json).toMatchObject({ status: 'active' });
      expect(json.delivery.gap).toBeUndefined();
      await node.stop();
    }
  }
  for (const to of [format(first.address), format(second.address)])
    expect(receiver.txIDs().filter((txID) => sent.find((tx) => tx.id === txID)?.to === to)).toEqual(
      sent.filter((tx) => tx.to === to).map((tx) => tx.id),
    );
  // Repeats have the ID of the first message.
  const messageIDs = new Map<string | undefined, Set<string>>();
  for (const { messageId, event } of receiver.messages())
    messageIDs.set(event.txID, (messageIDs.get(event.txID) ?? new Set()).add(messageId));
  expect([...messageIDs.values()].every((ids) => ids.size === 1)).toBe(true);
});

describe('access and targets', () => {
  test('only programs on this machine manage the webhooks of a node without a token', async () => {
    const node = await startProgram();
    try {
      for (const headers of [{ 'x-forwarded-for': '203.0.113.7' }, { origin: 'https://evil.example' }] as Record<string, string>[])
        for (const [method, path] of [
          ['GET', ''],
          ['POST', ''],
        ] as const)
          expect(await createWebhookCalls(node.url, headers)(method, path, method === 'POST' ? {} : undefined)).toMatchObject({
            status: 403,
            json: { message: expect.stringContaining('only programs on this machine') },
          });
    } finally {
      await node.stop();
    }
  });

  test('a public server has them for the token only, and refuses private targets; a flag allows them', async () => {
    const body = (url: string) => addressHook(url, ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u']);
    const headers = { authorization: 'Bearer secret-token' };
    const node = await startProgram('--public-api', '--dev-token=secret-token');
    try {
      expect((await createWebhookCalls(node.url)('GET', '')).status).toBe(403);
      const call = createWebhookCalls(node.url, headers);
      for (const url of [
        'http://127.0.0.1:1/',
        'http://localhost/',
        'http://2130706433/',
        'http://10.1.2.3/',
        'http://169.254.169.254/latest',
        'http://[::1]/',
        'http://[fd00::1]/',
        'http://[::ffff:192.168.0.1]/',
      ])
        expect(await call('POST', '', body(url))).toMatchObject({
          status: 400,
          json: { message: [expect.stringContaining('not a public address')] },
        });
      for (const url of ['ftp://example.org/', 'file:///etc/passwd', 'http://user:password@example.org/', 'nonsense'])
        expect((await call('POST', '', body(url))).status).toBe(400);
    } finally {
      await node.stop();
    }
    const withoutToken = await startProgram('--public-api');
    try {
      expect((await createWebhookCalls(withoutToken.url)('GET', '')).status).toBe(404);
    } finally {
      await withoutToken.stop();
    }
    const allowing = await startProgram('--public-api', '--dev-token=secret-token', '--webhook-private-targets');
    try {
      expect((await createWebhookCalls(allowing.url, headers)('POST', '', body('http://10.1.2.3/'))).status).toBe(201);
    } finally {
      await allowing.stop();
    }
  });

  test('an API key manages its own webhooks, the operator all', async () => {
    mkdirSync(join(folder, 'keys'));
    const dataDir = `--data-dir=${join(folder, 'keys')}`;
    const keys = [await createKey(dataDir), await createKey(dataDir, '--routes=data:list*')] as const;
    const third = await createKey(dataDir);
    const token = { authorization: 'Bearer secret-token' };
    const node = await startProgram('--public-api', '--dev-token=secret-token', dataDir, '--workers=1');
    try {
      const body = addressHook('https://example.org/', ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u']);
      const [mine, listing, others] = [...keys, third].map(({ header }) => createWebhookCalls(node.url, header)) as [Call, Call, Call];
      const operator = createWebhookCalls(node.url, token);
      const created = await mine('POST', '', body);
      expect(created).toMatchObject({ status: 201, json: { apiKeyId: keys[0].id } });
      const { id } = created.json;
      const own = (await operator('POST', '', body)).json;
      expect(own.apiKeyId).toBeUndefined();
      const idsOf = async (call: Call) => (await call('GET', '')).json.webhooks.map((hook: { id: string }) => hook.id);
      expect(await Promise.all([mine, listing, others, operator].map(idsOf))).toEqual([[id], [], [], [id, own.id]]);

      // For other keys it does not exist, and nothing of it can be changed.
      for (const [method, path, more] of [
        ['GET', '', undefined],
        ['PATCH', '', { status: 'inactive' }],
        ['PATCH', '', { status: 'active' }],
        ['POST', '/secret', undefined],
        ['GET', '/addresses', undefined],
        ['PATCH', '/addresses', { addresses: body.metadata.keys }],
        ['DELETE', '/addresses', { addresses: body.metadata.keys }],
        ['DELETE', '', undefined],
      ] as const) {
        expect([method, path, (await others(method, `/${id}${path}`, more)).status]).toEqual([method, path, 404]);
        expect([method, path, (await mine(method, `/${own.id}${path}`, more)).status]).toEqual([method, path, 404]);
      }
      expect((await mine('GET', `/${id}`)).json).toMatchObject({ id, status: 'active' });

      // The operator's token does not help a key, and a key needs the grant of the route.
      expect((await createWebhookCalls(node.url, { ...token, ...third.header })('GET', `/${id}`)).status).toBe(404);
      expect((await listing('POST', '', body)).status).toBe(403);
      expect((await createWebhookCalls(node.url, { 'x-service-api-key': `serac_${'a'.repeat(43)}` })('GET', '')).status).toBe(401);
      expect((await createWebhookCalls(node.url)('GET', '')).status).toBe(403);
      expect((await mine('POST', '', { ...body, url: 'http://127.0.0.1:1/' })).status).toBe(400);
      expect((await operator('PATCH', `/${id}`, { status: 'inactive' })).json).toMatchObject({ status: 'inactive', apiKeyId: keys[0].id });
      expect((await mine('DELETE', `/${id}`)).status).toBe(200);
      expect(await idsOf(operator)).toEqual([own.id]);
    } finally {
      await node.stop();
    }
    // Without a token there is no operator, but keys manage theirs.
    const keysOnly = await startProgram('--public-api', dataDir, '--workers=0');
    try {
      expect((await createWebhookCalls(keysOnly.url)('GET', '')).json.message).toContain('send an API key');
      expect((await createWebhookCalls(keysOnly.url, third.header)('GET', '')).json.webhooks).toEqual([]);
    } finally {
      await keysOnly.stop();
    }
  });
});

type Call = ReturnType<typeof createWebhookCalls>;
