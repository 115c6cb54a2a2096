import { type ChainEvent, type ChainEventKind, eventSchemas } from '../contract/events.ts';
import { decode } from './convert.ts';
import { parseExactJson } from './exact-json.ts';
import { SeracError } from './fault.ts';
import { readServerSentEvents } from './server-sent-events.ts';

/** Which events are wanted; an undefined part allows all. */
export type EventFilter<K extends ChainEvent['kind'] = ChainEvent['kind']> = {
  /** Transactions that spend or create outputs of these addresses. */
  readonly address?: string | readonly string[] | undefined;
  /** Transactions with these assets: IDs or aliases such as AVAX. */
  readonly asset?: string | readonly string[] | undefined;
  /** Only events of these kinds. Unless `reset` is one of them, lost events are the error `EVENTS_LOST`. */
  readonly kind?: K | readonly K[] | undefined;
  /** Resumes after the event with this ID. */
  readonly after?: string | undefined;
};

/** Events, in order. They can be read once. `break`, `return` and `close` end the subscription. */
export type Events<E extends ChainEvent = ChainEvent> = AsyncIterableIterator<E> & {
  /** Resolves when the subscription is active: later events are not missed. */
  readonly ready: Promise<void>;
  /** The ID of the last event, or of the position that the filter has passed; resume with it as `after`. */
  readonly lastEventId: () => string | undefined;
  readonly close: () => Promise<void>;
};

/** Opens the stream of a query such as `address=…&kind=tx`: chunks of server-sent events. Undefined if the caller has closed the node. */
type OpenEventStream = (query: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array> | undefined>;

/** Subscribes at once, not when the first event is read. Throws a SeracError for a filter that does not exist. */
export function subscribe<K extends ChainEvent['kind']>(
  open: OpenEventStream,
  filter: EventFilter<K> & { readonly after?: string | undefined },
): Events<Extract<ChainEvent, { readonly kind: K }>> {
  const aborter = new AbortController();
  let lastEventId = filter.after;
  let setReady = (): void => {};
  let setFailed = (_: unknown): void => {};
  const ready = new Promise<void>((resolve, reject) => {
    [setReady, setFailed] = [resolve, reject];
  });
  // A caller that does not wait for `ready` gets the error from `next`.
  ready.catch(() => {});
  const opened = open(formatQuery(filter), aborter.signal);
  const kinds = filter.kind === undefined ? undefined : [filter.kind].flat();
  const isWanted = (kind: ChainEventKind): boolean => kinds === undefined || kinds.some((one) => one === kind);
  const generator = readChainEvents(opened, isWanted, setReady, (id) => {
    lastEventId = id;
  });
  // Reads ahead until the subscription is active; events are queued by the node meanwhile.
  let first: Promise<IteratorResult<ChainEvent>> | undefined = generator.next();
  first.then(setReady, setFailed);
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    aborter.abort();
    setReady();
    // The generator may wait for the next chunk: ending the stream itself ends that wait.
    await opened.then(
      async (stream) => void (await stream?.[Symbol.asyncIterator]().return?.()),
      () => {},
    );
  };
  const done = { done: true, value: undefined } as const;
  const iterator = {
    next: async () => {
      if (isClosed) return done;
      const next = first ?? generator.next();
      first = undefined;
      try {
        const result = await next;
        return isClosed ? done : result;
      } catch (error) {
        if (isClosed) return done;
        throw error;
      }
    },
    return: async () => {
      await close();
      return done;
    },
    [Symbol.asyncIterator]: () => iterator,
    ready,
    lastEventId: () => lastEventId,
    close,
  };
  return iterator as unknown as Events<Extract<ChainEvent, { readonly kind: K }>>;
}

/** The first heartbeat comes when all past events were sent: then new events are sent as they happen. */
async function* readChainEvents(
  opened: Promise<AsyncIterable<Uint8Array> | undefined>,
  isWanted: (kind: ChainEventKind) => boolean,
  setReady: () => void,
  setPosition: (id: string) => void,
): AsyncGenerator<ChainEvent> {
  let last: string | undefined;
  const stream = await opened;
  if (stream === undefined) return;
  for await (const { id, kind, data } of readServerSentEvents(stream)) {
    setReady();
    if (id !== '') {
      last = id;
      setPosition(id);
    }
    if (kind === 'reset' && !isWanted('reset')) {
      const { reason } = JSON.parse(data) as { readonly reason: string };
      throw new SeracError(`events were lost: ${reason}; read the current state again, then resume after ${last}`, {
        code: 'EVENTS_LOST',
        reason,
        lastEventId: last,
      });
    }
    if (isChainEventKind(kind) && isWanted(kind)) yield decodeEvent(kind, parseExactJson(data));
    if (kind === 'closed') {
      const { reason, message } = JSON.parse(data) as { readonly reason: string; readonly message: string };
      if (reason === 'stopping') return;
      throw new SeracError(`the event stream was closed: ${message}`, { code: 'EVENTS_CLOSED', reason, lastEventId: last });
    }
  }
  throw new SeracError('the connection of the event stream was lost; resume with the last ID', {
    code: 'EVENTS_CLOSED',
    reason: 'connection-lost',
    lastEventId: last,
  });
}

function formatQuery({ address, asset, kind, after, ...unknown }: EventFilter): string {
  const [name] = Object.keys(unknown);
  if (name !== undefined)
    throw new SeracError(`events has no filter ${JSON.stringify(name)}; filters are address, asset, kind and after`, {
      code: 'BAD_PARAMETER',
      parameter: name,
      expected: 'address, asset, kind or after',
    });
  const query = new URLSearchParams();
  const add = (name: string, value: string | readonly string[] | undefined): void => {
    if (value !== undefined) query.set(name, typeof value === 'string' ? value : value.join(','));
  };
  add('address', address);
  add('asset', asset);
  // The node sends `reset` with every selection, and knows no filter for it.
  const selected = kind === undefined ? [] : [kind].flat().filter((one) => one !== 'reset');
  add('kind', selected.length === 0 ? undefined : selected);
  add('lastEventId', after);
  return query.toString();
}

/** Events about the stream itself are not given to callers. */
export const isChainEventKind = (kind: string): kind is ChainEventKind => Object.hasOwn(eventSchemas, kind);

/** Converts the JSON of an event: amounts become bigints. */
const decodeEvent = (kind: ChainEventKind, json: unknown): ChainEvent => decode(eventSchemas[kind], json, kind) as ChainEvent;
