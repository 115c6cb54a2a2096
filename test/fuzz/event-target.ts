import { deepStrictEqual, ok } from 'node:assert';
import type { EventLog, LogEntry } from '../../src/api/events/event-log.ts';
import { createEventsRoute } from '../../src/api/events/events-route.ts';
import { createEventHub } from '../../src/api/events/hub.ts';
import { formatEventID, isAfter, parseEventID } from '../../src/api/events/position.ts';
import type { HttpResponse } from '../../src/api/http/message.ts';
import { createParamContext } from '../../src/api/rest/addresses.ts';
import { allowAllGate } from '../../src/api/rest/requests.fixture.ts';
import type { Id } from '../../src/base/bytes/id.ts';
import { longWork } from '../../src/base/timing/long-work.fixture.ts';
import type { FuzzTarget, OpenedTarget } from './target.ts';

/* Where an event stream continues: a query, and after a line break the header `last-event-id`. A stream never skips or repeats an entry. */

const entryCount = 6;
const id = '11'.repeat(32) as Id;
const entry = (number: number): LogEntry => ({
  number,
  chainID: id,
  kind: 'reverted',
  height: number,
  blockID: id,
  time: 0,
  snapshot: `${number}`,
});
const log: EventLog = {
  id: async () => 'log',
  last: async () => entryCount,
  read: async (after) => Array.from({ length: Math.max(0, Math.min(4, entryCount - after)) }, (_, i) => entry(after + 1 + i)),
};

function openStream(): OpenedTarget {
  const reported: unknown[] = [];
  const hub = createEventHub({
    log,
    textOf: () => ({ alias: 'X', json: { address: (address) => address as string, id: (one) => one as string } }),
    timers: { soon: (run) => void setImmediate(run), after: () => () => undefined },
    longWork,
    logError: (error) => void reported.push(error),
  });
  const route = createEventsRoute({
    hub,
    gate: allowAllGate,
    context: { ...createParamContext('local'), asset: () => undefined },
    caller: () => '127.0.0.1',
  });
  if (!('handler' in route)) throw new Error('no handler');
  const { handler } = route;

  /** The events up to the heartbeat that follows the past ones. */
  const readPast = async ({ stream }: HttpResponse): Promise<{ readonly id?: string; readonly kind: string }[]> => {
    const events: { id?: string; kind: string }[] = [];
    const source = stream?.[Symbol.asyncIterator]();
    let text = '';
    while (source !== undefined && !events.some(({ kind }) => kind === 'heartbeat')) {
      const next = await source.next();
      if (next.done) break;
      text += Buffer.from(next.value).toString();
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const data = /^data: ?(.*)$/m.exec(part)?.[1];
        if (data !== undefined) events.push(JSON.parse(data));
      }
    }
    await source?.return?.();
    return events;
  };

  return {
    run: async (input) => {
      const [query = '', last] = Buffer.from(input)
        .toString('utf8')
        .split(/\n(.*)/s);
      const header = (name: string): string | null => (name === 'last-event-id' ? (last ?? null) : null);
      const response = await handler({ method: 'GET', path: '/ext/events', query, header, body: async () => new Uint8Array() });
      if (response.status === 400) return;
      deepStrictEqual(response.status, 200);
      const events = await readPast(response);
      deepStrictEqual([reported.splice(0), hub.size()], [[], 0], 'a stream stays, or an error was reported');
      const params = new URLSearchParams(query);
      const isFiltered = ['kind', 'address', 'asset'].some((name) => params.has(name));
      checkOrder(events, last ?? params.get('lastEventId') ?? undefined, isFiltered);
    },
    close: hub.close,
  };
}

function checkOrder(
  events: readonly { readonly id?: string; readonly kind: string }[],
  from: string | undefined,
  isFiltered: boolean,
): void {
  const entries = events.flatMap(({ id, kind }) => (kind === 'reverted' ? [Number(parseEventID('log', id ?? '')?.entry)] : []));
  const position = from === undefined ? undefined : parseEventID('log', from);
  if (position === undefined) {
    deepStrictEqual(entries, [], 'past events without a position');
    return;
  }
  const shown = formatEventID('log', position);
  ok(parseEventID('log', shown)?.entry === position.entry && !isAfter(shown, shown), 'the position is not equal to itself');
  if (events.some(({ kind }) => kind === 'reset')) return;
  if (isFiltered) {
    ok(
      entries.every((entry, i) => entry > (entries[i - 1] ?? position.entry)),
      'entries are repeated',
    );
    return;
  }
  const first = position.entry + 1;
  const expected = Array.from({ length: Math.max(0, entryCount - first + 1) }, (_, i) => first + i);
  deepStrictEqual(entries, expected, 'entries are skipped or repeated');
}

export const eventTarget: FuzzTarget = {
  name: 'event-resume',
  seeds: () => [
    '',
    'lastEventId=log-2',
    'kind=block,tx&lastEventId=log-0',
    '\nlog-3.0',
    'address=X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u&asset=AVAX',
    'lastEventId=log-6.1\nlog-5',
    '\nother-1',
    'lastEventId=log-999999999999999.999999999',
  ],
  words: ['lastEventId=', 'log-', 'kind=', 'reverted', 'address=', 'asset=', '&', '%20', '.0', '-1', '+'],
  maxRetained: 12_000_000,
  open: openStream,
};
