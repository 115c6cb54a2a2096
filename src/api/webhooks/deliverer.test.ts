import { afterAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../test/processes.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import type { Address } from '../../base/bytes/address.ts';
import { idText } from '../../base/bytes/id.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { openChain } from '../../ledger/state/open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from '../../ledger/state/random-chain.fixture.ts';
import { openSharedFile } from '../access/shared-file.ts';
import { createEventHub } from '../events/hub.ts';
import { openSqliteEventLog } from '../events/sqlite-event-log.ts';
import { type Deliverer, requestCounts, startDeliverer } from './deliverer.ts';
import { type DeliveryLimits, deliveryLimits } from './hook-runner.ts';
import type { Message } from './message.ts';
import { createWebhookStore, prepareWebhookTables, type WebhookStore } from './webhook-store.ts';

const timers = {
  soon: (run: () => void) => void setImmediate(run),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** A chain with its event log, and webhooks for all its addresses. `answers` decides whether a message is delivered. */
async function open(seed: number, limits: Partial<DeliveryLimits> = {}, maxEntries = 100_000) {
  const source = randomChain(seed);
  const chain = openChain(openDatabase, ':memory:');
  chain.state.init(source.genesisTxs, source.first);
  const log = openSqliteEventLog(chain.store, { random, maxEntries });
  const number = getChainNumber(chain.store, chainID);
  log.addChain({ number, state: chain.state });
  const logError = (error: unknown) => {
    throw error;
  };
  const json = { address: (address: Address) => address as string, id: idText };
  const hub = createEventHub({ log, textOf: () => ({ alias: 'X', json }), timers, longWork, logError, heartbeat: 20 });
  const sql = openSharedFile(openDatabase, ':memory:');
  await prepareWebhookTables(sql);
  const store = createWebhookStore(sql);
  const sent: (Message & { timestamp: number })[] = [];
  const lines: string[] = [];
  const setup = {
    ...{ store, sent, lines, hub, isUp: true, now: 1000 },
    slowReceiver: Promise.withResolvers<void>(),
    position: () => hub.position(),
    commit: (count = 1, txCount = 3): void => {
      for (let i = 0; i < count; i++) {
        const { inboundUtxos, block, diff } = source.next(chain.state, txCount);
        if (inboundUtxos.length > 0) chain.store.write(() => chain.sharedMemory.put(chainID, otherChainID, inboundUtxos));
        chain.state.commitAll([{ block, diff }], (stored) => log.append(number, stored));
      }
      hub.advance();
    },
    start: (deps: Partial<Parameters<typeof startDeliverer>[0]> = {}): Deliverer =>
      startDeliverer({
        ...{ store, hub, timers, logError },
        now: () => setup.now,
        milliseconds: () => setup.now * 1000,
        random: () => 0.5,
        limits: { ...deliveryLimits, backoff: { first: 10, max: 20 }, ...limits },
        formatAddress: () => (address) => address,
        log: (line) => void lines.push(line),
        send: async ({ body, owner }) => {
          sent.push(JSON.parse(body));
          await (owner === 'slow' ? setup.slowReceiver.promise : Bun.sleep(1));
          if (!setup.isUp) throw new Error('the receiver is down');
          return 200;
        },
        ...deps,
      }),
    add: async (id: string, owner?: string): Promise<void> => {
      await store.add(
        {
          ...{ id, url: 'http://example.org/', secret: 'key', name: '', description: '', created: 1, chainID, owner },
          filter: { keyType: 'addresses', keys: source.addresses },
          isActive: true,
          inactiveReason: undefined,
        },
        await hub.position(),
        { max: 40, maxOfKeys: 40, maxOfKey: 40 },
      );
    },
  };
  closing.push(chain.close);
  return setup;
}

const stateOf = async (store: WebhookStore, id: string) => (await store.find(id))?.state;

describe('deliveries', () => {
  test('go on where another deliverer has stopped', async () => {
    const setup = await open(3);
    await setup.add('hook');
    const first = setup.start();
    setup.commit(3);
    await eventually(
      () => setup.sent.length,
      (count) => count > 2,
    );
    await first.close();
    const before = setup.sent.map(({ event }) => event.id);
    const position = (await stateOf(setup.store, 'hook'))?.position;
    expect(before).toContain(position as string);
    setup.commit(3);
    const second = setup.start();
    await eventually(
      async () => (await stateOf(setup.store, 'hook'))?.position === (await setup.position()),
      (isDone) => isDone,
    );
    await second.close();
    const ids = [...new Set(setup.sent.map(({ event }) => event.id))];
    expect(ids.length).toBeGreaterThan(before.length);
    // The same event has the same message ID, whoever sent it.
    expect(new Set(setup.sent.map(({ messageId }) => messageId)).size).toBe(ids.length);
  });

  test('that fail for too long make the webhook inactive, with the reason; it can be started again', async () => {
    const setup = await open(4, { failingSeconds: 3600 });
    await setup.add('hook');
    const deliverer = setup.start();
    setup.isUp = false;
    setup.commit(2);
    await eventually(
      () => deliverer.read().failedAttempts,
      (count) => count >= 3,
    );
    expect(deliverer.read()).toMatchObject({ active: 1, failing: 1, delivered: 0, givenUp: 0 });
    // Nothing overtakes the first message of an address.
    const attempts = new Set(setup.sent.map(({ messageId }) => messageId));
    expect(attempts.size).toBeLessThanOrEqual(deliveryLimits.running);
    setup.now += 3600;
    const stopped = await eventually(
      () => setup.store.find('hook'),
      (found) => found?.webhook.isActive === false,
    );
    expect(stopped?.webhook.inactiveReason).toBe('no delivery succeeded for 1 h: Error: the receiver is down');
    expect(setup.lines).toEqual(['webhook hook is inactive now: no delivery succeeded for 1 h: Error: the receiver is down']);
    expect(deliverer.read()).toMatchObject({ active: 0, givenUp: 1 });
    const { length } = setup.sent;
    setup.commit(1);
    await Bun.sleep(100);
    expect(setup.sent).toHaveLength(length);

    setup.isUp = true;
    await setup.store.forgetFailures('hook');
    await setup.store.update('hook', (webhook) => ({ ...webhook, isActive: true, inactiveReason: undefined }));
    deliverer.refresh();
    await eventually(
      async () => (await stateOf(setup.store, 'hook'))?.position === (await setup.position()),
      (isDone) => isDone,
    );
    expect(await stateOf(setup.store, 'hook')).toMatchObject({ failedAttempts: 0, gap: undefined });
    await deliverer.close();
  });

  test('that fail for too long: the webhook becomes inactive also if the database fails at that moment', async () => {
    const setup = await open(8, { failingSeconds: 3600 });
    await setup.add('hook');
    let failures = 0;
    const { store } = setup;
    const update: WebhookStore['update'] = (id, change) =>
      failures++ === 0 ? Promise.reject(new Error('no answer')) : store.update(id, change);
    const deliverer = setup.start({ store: { ...store, update }, logError: () => {} });
    setup.isUp = false;
    setup.commit(2);
    await eventually(
      () => deliverer.read().failedAttempts,
      (count) => count >= 1,
    );
    setup.now += 3600;
    const stopped = await eventually(
      () => store.find('hook'),
      (found) => found?.webhook.isActive === false,
    );
    expect(stopped?.webhook.inactiveReason).toStartWith('no delivery succeeded for 1 h');
    await deliverer.close();
  });

  test('that somebody wants again are sent also if the database fails at that moment', async () => {
    const setup = await open(9);
    await setup.add('hook');
    const { store } = setup;
    let fails = false;
    const takeWanted: WebhookStore['takeWanted'] = () => {
      if (!fails) return store.takeWanted();
      fails = false;
      return Promise.reject(new Error('no answer'));
    };
    const deliverer = setup.start({ store: { ...store, takeWanted }, logError: () => {} });
    setup.commit();
    const [attempt] = await eventually(
      () => store.attempts('hook'),
      (attempts) => attempts.length > 0,
    );
    fails = true;
    await store.wantAgain('hook', attempt?.number as number);
    await eventually(
      () => setup.sent.some(({ isSentAgain }) => isSentAgain),
      (isSent) => isSent,
      10_000,
    );
    await deliverer.close();
  });

  test('of one API key do not wait for those of another whose receivers are slow', async () => {
    const setup = await open(7);
    // Together they could use all requests.
    for (let i = 0; i < requestCounts.total; i++) await setup.add(`slow ${i}`, 'slow');
    await setup.add('quick', 'quick');
    const deliverer = setup.start();
    await eventually(
      () => deliverer.read().active,
      (active) => active === requestCounts.total + 1,
    );
    setup.commit(5, 8);
    const ofHook = (id: string) => setup.sent.filter(({ webhookId }) => webhookId === id).length;
    await eventually(
      () => ofHook('quick'),
      (count) => count >= 20,
    );
    expect(setup.sent.length - ofHook('quick')).toBeLessThanOrEqual(requestCounts.ofOwner);
    setup.slowReceiver.resolve();
    await eventually(
      () => ofHook('slow 0'),
      (count) => count >= 20,
    );
    await deliverer.close();
  });

  test('that the log no longer has are a gap in the state, and a message', async () => {
    const setup = await open(5, {}, 50);
    await setup.add('hook');
    const start = await setup.position();
    setup.commit(600, 1);
    const deliverer = setup.start();
    const state = await eventually(
      () => stateOf(setup.store, 'hook'),
      (found) => found?.gap !== undefined && found.delivered > 0,
    );
    expect(state?.gap).toMatchObject({ after: start, reason: 'the events after this ID are no longer stored', time: 1000 });
    expect(setup.sent[0]).toMatchObject({ eventType: 'reset', event: { kind: 'reset', id: state?.gap?.resumedAt } });
    setup.commit(1);
    await eventually(
      () => setup.sent.at(-1)?.event.kind,
      (kind) => kind === 'tx',
    );
    await deliverer.close();
  });

  test('wait in the log, not in memory: at most some are read ahead', async () => {
    const setup = await open(6, { waiting: 8 });
    await setup.add('hook');
    const deliverer = setup.start();
    setup.isUp = false;
    setup.commit(1);
    await eventually(
      () => deliverer.read().failing,
      (failing) => failing === 1,
    );
    setup.commit(300);
    await Bun.sleep(100);
    expect(deliverer.read().waiting).toBeLessThan(200);
    expect(setup.hub.size()).toBe(0);
    setup.isUp = true;
    await eventually(
      async () => (await stateOf(setup.store, 'hook'))?.position === (await setup.position()),
      (isDone) => isDone,
      60_000,
    );
    await deliverer.close();
  });
});
