import type { WebSocketHandlers } from '../../api/http/message.ts';

/** What waits in this process until its client reads it: the bodies of responses and the messages of WebSockets, over all connections of a port. */
export type UnreadResponses = {
  /**
   * Counts a response. `bytes` wait from the start; undefined if there is no room for them, even without the responses whose clients have
   * read nothing for `stalledAfter`. `cutOff` ends the response and frees its memory.
   */
  readonly tryAdd: (bytes: number, cutOff: () => void) => UnreadResponse | undefined;
};

type UnreadResponse = {
  /** The client has read something, and this many bytes wait for it now; none: the next ones are not made yet. */
  readonly progress: (bytes: number) => void;
  /** Everything was read, or the client has disconnected. */
  readonly end: () => void;
};

export type UnreadOptions = {
  /** Bytes of all responses together. */
  readonly max: number;
  /** Milliseconds without reading after which a client is cut off. */
  readonly timeout: number;
};

/** Defaults: 64 MB per port and process, and 10 s. */
export const defaultUnread: UnreadOptions = { max: 64 * 1024 * 1024, timeout: 10_000 };

/** Milliseconds without reading after which a client is cut off if its memory is needed for another one. */
const stalledAfter = 1000;

export function createUnreadResponses({ max, timeout }: UnreadOptions): UnreadResponses {
  /** Ordered by the time of the last progress: the first one has been waiting longest. */
  const waiting = new Map<UnreadResponse, { readonly bytes: number; readonly since: number; readonly cutOff: () => void }>();
  let total = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const remove = (response: UnreadResponse): void => {
    total -= waiting.get(response)?.bytes ?? 0;
    waiting.delete(response);
  };

  /** Cuts off clients that have read nothing for some time, longest first, until `isEnough`. */
  const cutOffStalled = (milliseconds: number, isEnough = () => false): void => {
    const now = performance.now();
    for (const [response, { since, cutOff }] of waiting) {
      if (isEnough() || now - since < milliseconds) return;
      remove(response);
      cutOff();
    }
  };

  const watch = (): void => {
    if (timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        cutOffStalled(timeout);
        watch();
      },
      Math.min(timeout, checkInterval),
    );
    timer.unref();
  };

  return {
    tryAdd: (bytes, cutOff) => {
      const hasRoom = (): boolean => total === 0 || total + bytes <= max;
      if (bytes > 0 && !hasRoom()) cutOffStalled(stalledAfter, hasRoom);
      if (bytes > 0 && !hasRoom()) return undefined;
      let isEnded = false;
      const response: UnreadResponse = {
        progress: (left) => {
          remove(response);
          if (left === 0 || isEnded) return;
          waiting.set(response, { bytes: left, since: performance.now(), cutOff: end });
          total += left;
          if (total > max) cutOffStalled(stalledAfter, () => total <= max);
          watch();
        },
        end: () => {
          isEnded = true;
          remove(response);
        },
      };
      const end = (): void => {
        isEnded = true;
        cutOff();
      };
      response.progress(bytes);
      return response;
    },
  };
}

/** Milliseconds between two searches for clients that do not read. */
const checkInterval = 1000;

/** Bytes of a body that is sent as it is. It waits in the buffers of the operating system, so it is not counted. */
export const uncountedBody = 65_536;

/** Bytes of a larger body that are sent at once. */
const bodySlice = 65_536;

/** Splits a body into slices. The next one is sent when the client has read the one before: so it is known whether it reads. */
export function sliceBody(body: string | Uint8Array): SliceIterator {
  let at = 0;
  return {
    next: () => {
      if (at >= body.length) return { done: true, value: undefined };
      const from = at;
      at += bodySlice;
      if (typeof body !== 'string') return { done: false, value: body.subarray(from, at) };
      // The two halves of a surrogate pair stay together. A text is encoded slice by slice, so that there is no copy of all of it.
      if (isHighSurrogate(body.charCodeAt(at - 1))) at++;
      return { done: false, value: Buffer.from(body.slice(from, at)) };
    },
  };
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

type SliceIterator = Pick<Iterator<Uint8Array, undefined>, 'next'>;

/** Cuts off a WebSocket whose client does not read. */
export function watchWebSocket(handlers: WebSocketHandlers, unread: UnreadResponses): WebSocketHandlers {
  let terminate = (): void => {};
  const response = unread.tryAdd(0, () => terminate());
  let waiting = 0;
  return {
    onOpen: (peer) => {
      terminate = peer.terminate;
      const send = (text: string): boolean => {
        const isSent = peer.send(text);
        // Only the first unsent message starts the time without progress.
        if (!isSent && waiting === 0) response?.progress(text.length);
        if (!isSent) waiting += text.length;
        return isSent;
      };
      handlers.onOpen({ ...peer, send });
    },
    onDrain: () => {
      waiting = 0;
      response?.progress(0);
      handlers.onDrain();
    },
    onClose: () => {
      response?.end();
      handlers.onClose();
    },
  };
}
