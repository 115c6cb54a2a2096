import { connect, type Socket } from 'node:net';

/** An event as a client receives it: the fields of an SSE block, with its data parsed. */
export type ReceivedEvent = { readonly id?: string; readonly kind: string; readonly data: Record<string, unknown> };

/** A client of `/ext/events` on a socket of its own, so that it can stop reading. */
export type EventClient = {
  readonly events: readonly ReceivedEvent[];
  readonly status: () => string;
  /** Resolves with all events once one of them satisfies the condition. */
  readonly until: (condition: (event: ReceivedEvent) => boolean, milliseconds?: number) => Promise<readonly ReceivedEvent[]>;
  readonly socket: Socket;
  readonly closed: Promise<void>;
  readonly close: () => void;
};

/** `onEvent`: gets the events instead of the list `events`, which then stays empty. */
export function openEvents(
  port: number,
  query = '',
  headers: Record<string, string> = {},
  onEvent?: (event: ReceivedEvent) => void,
): EventClient {
  const host = '127.0.0.1';
  const events: ReceivedEvent[] = [];
  const receive = onEvent ?? ((event) => void events.push(event));
  let text = '';
  let head: string | undefined;
  const socket = connect(port, host, () => {
    const lines = Object.entries({ host: `${host}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /ext/events${query} HTTP/1.1\r\n${lines.join('')}\r\n`);
  });
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    text += chunk;
    if (head === undefined) {
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      head = text.slice(0, end);
      text = text.slice(end + 4);
    }
    // The body is chunked; lines of chunk lengths are between the blocks or inside them.
    text = text.replace(/(^|\r\n)[0-9a-f]+\r\n/g, '');
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = parseEvent(text.slice(0, end));
      if (event !== undefined) receive(event);
      text = text.slice(end + 2);
    }
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined);
  return {
    events,
    socket,
    closed,
    status: () => head?.split('\r\n')[0] ?? '',
    until: async (condition, milliseconds = 20_000) => {
      const limit = performance.now() + milliseconds;
      while (!events.some(condition)) {
        if (performance.now() > limit)
          throw new Error(`no such event; ${head}; ${JSON.stringify(events).slice(0, 2000)}; ${text.slice(0, 200)}`);
        await Bun.sleep(5);
      }
      return events;
    },
    close: () => socket.destroy(),
  };
}

function parseEvent(block: string): ReceivedEvent | undefined {
  const fields = new Map(
    block
      .split('\n')
      .map((line) => line.replace(/^\r/, ''))
      .filter((line) => /^\w+: /.test(line))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const id = fields.get('id');
  return { ...(id === undefined ? {} : { id }), kind: fields.get('event') ?? '', data: JSON.parse(data) };
}

/** Events that are resumed, without heartbeats and live events. */
export const resumable = (events: readonly ReceivedEvent[]): readonly ReceivedEvent[] =>
  events.filter(({ kind }) => ['block', 'tx', 'reverted', 'reset'].includes(kind));
