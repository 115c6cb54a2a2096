import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEventsRoute, eventsPath } from '../src/api/events/events-route.ts';
import { createEventHub } from '../src/api/events/hub.ts';
import { openSqliteEventLog } from '../src/api/events/sqlite-event-log.ts';
import { createRouter, type HttpRoute } from '../src/api/http/router.ts';
import { createParamContext } from '../src/api/rest/addresses.ts';
import { allowAllGate } from '../src/api/rest/requests.fixture.ts';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { serve } from '../src/app/platform/bun/serve.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { idText } from '../src/base/bytes/id.ts';
import { longWork } from '../src/base/timing/long-work.fixture.ts';
import { getChainNumber } from '../src/ledger/state/chain-number.ts';
import { copyTables } from '../src/ledger/state/copy-tables.fixture.ts';
import { openChain } from '../src/ledger/state/open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from '../src/ledger/state/random-chain.fixture.ts';
import { chromiumBinary, openChromium } from './chromium.ts';
import { eventually } from './processes.ts';
import { startProgram } from './program.ts';

const binary = chromiumBinary();
const folder = mkdtempSync(join(tmpdir(), 'serac-event-revert-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const logError = (error: unknown): never => {
  throw error;
};

/** Serves the event stream of a chain whose blocks the test commits; `port` 0 picks a free one. */
async function startChain(port: number, source: ReturnType<typeof randomChain>) {
  const { store, state, sharedMemory } = openChain(openDatabase, join(folder, 'chain.sqlite'));
  if (!state.isInitialized()) state.init(source.genesisTxs, source.first);
  const log = openSqliteEventLog(store, { random: (length) => crypto.getRandomValues(new Uint8Array(length)) });
  const number = getChainNumber(store, chainID);
  log.addChain({ number, state });
  const timers = {
    soon: (run: () => void) => void setImmediate(run),
    after: (ms: number, run: () => void) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
  const text = { alias: 'X', json: { address: (address: Address) => address as string, id: idText } };
  const hub = createEventHub({ log, textOf: () => text, timers, longWork, logError });
  store.onReverted(hub.advance);
  const context = { ...createParamContext('local'), asset: () => undefined };
  const page: HttpRoute = {
    handler: async () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>events</title>' }),
  };
  const handler = createRouter({
    routes: new Map([
      [eventsPath, createEventsRoute({ hub, gate: allowAllGate, context, caller: () => '' })],
      ['/page', page],
    ]),
    nodeID: 'NodeID-1',
    allowedHosts: ['localhost'],
    allowedOrigins: ['*'],
    rpcOptions: {
      differences: { batches: true, missingContentType: true, underscoreNames: true, errorData: true },
      onUnexpectedError: logError,
      longWork,
    },
  });
  const server = await serve({ host: '127.0.0.1', port, handler, maxBodyMemory: 1e6, idleTimeout: 30 });
  return {
    port: server.port,
    store,
    state,
    /** Commits the next block and returns its ID. */
    commit: (from = source): string => {
      const { inboundUtxos, block, diff } = from.next(state, 2);
      if (inboundUtxos.length > 0) store.write(() => sharedMemory.put(chainID, otherChainID, inboundUtxos));
      state.commitAll([{ block, diff }], (stored) => log.append(number, stored));
      hub.advance();
      return idText(block.id);
    },
    close: async () => {
      hub.close();
      await server.close();
      store.close();
    },
  };
}

describe.skipIf(binary === undefined)('Chromium: a page follows the stream with EventSource', () => {
  test('over reverts and a restart it gets every block once, in order', async () => {
    const source = randomChain(21);
    let chain = await startChain(0, source);
    const page = await openChromium(binary as string);
    try {
      await page.open(`http://127.0.0.1:${chain.port}/page`);
      await page.run(`(() => {
        window.seen = [];
        window.endings = 0;
        window.stream = new EventSource('/ext/events');
        for (const kind of ['block', 'reverted', 'reset'])
          stream.addEventListener(kind, ({ data }) => seen.push(kind + ' ' + JSON.parse(data).blockID));
        stream.addEventListener('closed', () => window.endings++);
        return new Promise((resolve) => stream.addEventListener('heartbeat', () => resolve(true), { once: true }));
      })()`);
      // The example of the documentation, with another port.
      const [, example = ''] =
        /```js\n([\s\S]*?)```/.exec(await Bun.file(new URL('../docs/reference/events.md', import.meta.url)).text()) ?? [];
      await page.run(
        `window.txIDs = []; ${example.replace('9650', String(chain.port)).replace('console.log(', 'txIDs.push(').replace('const ', 'var ')}`,
      );
      await page.run(`new Promise((resolve) => stream.addEventListener('heartbeat', () => resolve(true), { once: true }))`);
      const expected: string[] = [];
      const commit = (from?: typeof source) => expected.push(`block ${chain.commit(from)}`);
      const seen = async (): Promise<string[]> => {
        for (let i = 0; i < 300; i++) {
          const all = await page.run<string[]>('window.seen');
          if (all.length >= expected.length) return all;
          await Bun.sleep(50);
        }
        return page.run<string[]>('window.seen');
      };
      for (let i = 0; i < 3; i++) commit();
      const restore = copyTables(chain.store);
      const branch = randomChain(21);
      for (let i = 0; i < 3; i++) branch.next(chain.state, 2);
      branch.pick(3);
      for (let i = 0; i < 3; i++) commit();
      chain.store.revert(restore, 'clean');
      expected.push(`reverted ${idText(chain.state.lastAccepted().id)}`);
      for (let i = 0; i < 2; i++) commit(branch);
      expect(await seen()).toEqual(expected);
      expect((await page.run<string[]>('window.txIDs')).length).toBeGreaterThan(0);

      // After a restart it reconnects by itself with the last ID.
      const { port } = chain;
      await chain.close();
      chain = await startChain(port, branch);
      commit(branch);
      expect(await seen()).toEqual(expected);
      expect(await page.run<number>('window.endings')).toBe(1);
    } finally {
      await page.close();
      await chain.close();
    }
  });

  test('over dev.revert of the real program it gets every block once, in order, also of branches left behind', async () => {
    const dataDir = join(folder, 'program');
    const start = (port: number) => startProgram(`--data-dir=${dataDir}`, '--workers=1', ...(port === 0 ? [] : [`--http-port=${port}`]));
    let node = await start(0);
    const expected: string[] = [];
    const dev = async (method: string, params: unknown = {}) => {
      const { result, error } = await node.client.call('/ext/dev', `dev.${method}`, params);
      expect([method, error]).toEqual([method, undefined]);
      return result as unknown as { height: string };
    };
    const tip = async () => ((await dev('nodeInfo')) as unknown as { blockID: string }).blockID;
    const mine = async (blocks: number) => {
      for (let i = 0; i < blocks; i++) {
        await dev('mine');
        expected.push(`block ${await tip()}`);
      }
    };
    const revert = async (name: string) => {
      await dev('revert', { name });
      expected.push(`reverted ${await tip()}`);
    };
    const page = await openChromium(binary as string);
    try {
      await page.open(`${node.url}/api`);
      await page.run(`(() => {
        window.seen = [];
        window.stream = new EventSource('/ext/events?kind=block,reverted');
        for (const kind of ['block', 'reverted', 'reset'])
          stream.addEventListener(kind, ({ data, lastEventId }) => seen.push([kind + ' ' + JSON.parse(data).blockID, lastEventId]));
        return new Promise((resolve) => stream.addEventListener('heartbeat', ({ lastEventId }) => resolve(window.first = lastEventId), { once: true }));
      })()`);
      const seen = async (list: string): Promise<string[]> => {
        const read = () => page.run<[string, string][]>(list);
        const found = await eventually(read, ({ length }) => length >= expected.length, 20_000);
        return found.map(([text]) => text);
      };
      await mine(2);
      await dev('snapshot', { name: 'root' });
      await mine(2);
      await dev('snapshot', { name: 'left' });
      await revert('root');
      await mine(3);
      await dev('snapshot', { name: 'right' });
      await revert('left');
      await mine(1);
      // This passes through the states of both branches.
      await revert('root');
      await mine(1);
      await revert('right');
      expect(await seen('window.seen')).toEqual(expected);

      // After a restart on the same port it resumes by itself.
      const { port } = node;
      await node.stop();
      node = await start(port);
      await mine(1);
      expect(await seen('window.seen')).toEqual(expected);

      // A second client that resumes from the beginning gets the same events, from the log.
      await page.run(`(() => {
        window.again = [];
        const stream = new EventSource('/ext/events?kind=block,reverted&lastEventId=' + first);
        for (const kind of ['block', 'reverted', 'reset'])
          stream.addEventListener(kind, ({ data, lastEventId }) => again.push([kind + ' ' + JSON.parse(data).blockID, lastEventId]));
      })()`);
      expect(await seen('window.again')).toEqual(expected);
      expect(await page.run('JSON.stringify(window.again) === JSON.stringify(window.seen)')).toBe(true);
    } finally {
      await page.close();
      await node.stop();
    }
  });
});
