import { Fault } from '../fault.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';

/** Messages to and from another process of the node; whatever can be cloned may be sent. */
export type Channel = {
  readonly send: (message: unknown) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
};

/** A request as it travels between processes: what a process that only reads hands to the one that writes. */
export type Relayed = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly contentType: string | null;
  readonly body: Uint8Array;
};

export type Relay = (request: Relayed) => Promise<HttpResponse>;

/** What piles up in one turn of the event loop goes in one message: a message costs more than what is in it. */
type Questions = { readonly relay: 'questions'; readonly all: readonly (Relayed & { readonly id: number })[] };
type Answers = { readonly relay: 'answers'; readonly all: readonly (HttpResponse & { readonly id: number })[] };

export type RelayTimers = {
  readonly soon: (run: () => void) => void;
  readonly after: (ms: number, run: () => void) => () => void;
};

/** The asking end: `setHung(true)` rejects every call, those under way too, until the other process is heard of again. */
export type RelayClient = Relay & { readonly setHung: (isHung: boolean) => void };

/** More waiting than this means the other process is stuck; so does a wait longer than this, in milliseconds. */
const maxWaiting = 16_384;
const maxWait = 30_000;

export function createRelay(channel: Channel, { soon, after }: RelayTimers): RelayClient {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isHung = false;
  const send = gathered(soon, (all: Questions['all']) => channel.send({ relay: 'questions', all } satisfies Questions));
  channel.onMessage((message) => {
    if (!isAnswers(message)) return;
    for (const { id, status, headers, body } of message.all) {
      const asked = waiting.get(id);
      waiting.delete(id);
      asked?.cancel();
      asked?.done({ status, headers, body });
    }
  });
  const relay: Relay = (request) =>
    new Promise((resolve, reject) => {
      if (isHung || waiting.size >= maxWaiting) return reject(busy());
      const id = ++lastId;
      const cancel = after(maxWait, () => {
        waiting.delete(id);
        reject(busy());
      });
      waiting.set(id, { done: resolve, fail: reject, cancel });
      send({ id, ...request });
    });
  const setHung = (hung: boolean): void => {
    isHung = hung;
    if (!hung) return;
    for (const { cancel, fail } of waiting.values()) {
      cancel();
      fail(busy());
    }
    waiting.clear();
  };
  return Object.assign(relay, { setHung });
}

type Waiting = {
  readonly done: (response: HttpResponse) => void;
  readonly fail: (error: RelayError) => void;
  readonly cancel: () => void;
};

/** The answering end: the handler sees the request as if it had come from this machine. */
export function serveRelay(channel: Channel, handler: Handler, soon: RelayTimers['soon']): void {
  const send = gathered(soon, (all: Answers['all']) => channel.send({ relay: 'answers', all } satisfies Answers));
  const answer = async (question: Questions['all'][number]): Promise<void> => {
    const { status, headers, body, stream } = await handler(requestOf(question));
    // An answer travels between processes as one message.
    if (stream === undefined) send({ id: question.id, status, headers, body });
    else send({ id: question.id, status: 501, headers: {}, body: 'a stream is served only by the process that writes\n' });
  };
  channel.onMessage((message) => {
    if (isQuestions(message)) for (const question of message.all) void answer(question);
  });
}

/** Hands on what was given since the last turn of the event loop, all at once. */
function gathered<T>(soon: RelayTimers['soon'], send: (all: readonly T[]) => void): (one: T) => void {
  let all: T[] = [];
  return (one) => {
    if (all.push(one) > 1) return;
    soon(() => {
      const sent = all;
      all = [];
      send(sent);
    });
  };
}

/** The process that took the request has judged host and origin already. */
const requestOf = ({ method, path, query, contentType, body }: Relayed): HttpRequest => ({
  method,
  path,
  query,
  header: (name) => (name === 'content-type' ? contentType : name === 'host' ? 'localhost' : null),
  body: async () => body,
});

const isAnswers = (message: unknown): message is Answers => (message as Answers | null)?.relay === 'answers';
const isQuestions = (message: unknown): message is Questions => (message as Questions | null)?.relay === 'questions';

const busy = () => new RelayError('the writing process of the node does not answer; try again', { code: 'RELAY_BUSY' });

export type RelayFault = { code: 'RELAY_BUSY' } | { code: 'RELAY_WRONG_PROCESS' };
export class RelayError extends Fault<RelayFault> {}
