import { Fault } from '../fault.ts';
import type { Handler, HttpRequest, HttpResponse } from './message.ts';

/** Messages to and from another process of the node. */
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

type Question = { readonly relay: 'question'; readonly id: number } & Relayed;
type Answer = { readonly relay: 'answer'; readonly id: number } & HttpResponse;

/** More waiting than this means the other process is stuck; so does a wait longer than this. */
const maxWaiting = 16_384;
const maxWait = 30_000;

/** The asking end. */
export function createRelay(channel: Channel, after: (ms: number, run: () => void) => () => void): Relay {
  const waiting = new Map<number, { done: (response: HttpResponse) => void; cancel: () => void }>();
  let lastId = 0;
  channel.onMessage((message) => {
    if (!isAnswer(message)) return;
    const { id, status, headers, body } = message;
    const asked = waiting.get(id);
    waiting.delete(id);
    asked?.cancel();
    asked?.done({ status, headers, body });
  });
  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.size >= maxWaiting) return reject(busy());
      const id = ++lastId;
      const cancel = after(maxWait, () => {
        waiting.delete(id);
        reject(busy());
      });
      waiting.set(id, { done: resolve, cancel });
      channel.send({ relay: 'question', id, ...request } satisfies Question);
    });
}

/** The answering end: the handler sees the request as if it had come from this machine. */
export function serveRelay(channel: Channel, handler: Handler): void {
  channel.onMessage(async (message) => {
    if (!isQuestion(message)) return;
    const { status, headers, body } = await handler(requestOf(message));
    channel.send({ relay: 'answer', id: message.id, status, headers, body } satisfies Answer);
  });
}

/** The process that took the request has judged host and origin already. */
const requestOf = ({ method, path, query, contentType, body }: Relayed): HttpRequest => ({
  method,
  path,
  query,
  header: (name) => (name === 'content-type' ? contentType : name === 'host' ? 'localhost' : null),
  body: async () => body,
});

const isAnswer = (message: unknown): message is Answer => (message as Answer | null)?.relay === 'answer';
const isQuestion = (message: unknown): message is Question => (message as Question | null)?.relay === 'question';

const busy = () => new RelayError('the node is too busy to take this call now; try again', { code: 'RELAY_BUSY' });

export type RelayFault = { code: 'RELAY_BUSY' } | { code: 'RELAY_WRONG_PROCESS' };
export class RelayError extends Fault<RelayFault> {}
