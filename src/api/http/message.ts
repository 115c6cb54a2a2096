/** An HTTP request independent of the socket: created by `app/platform`, or by hand in tests. */
export type HttpRequest = {
  readonly method: string;
  /** As received: percent-encoded, without the query. */
  readonly path: string;
  /** The part after the question mark, as received. */
  readonly query: string;
  /** Value of a header by its lower-case name; null if absent. */
  header(name: string): string | null;
  /** Names of all headers. The function is absent if the request did not come from a socket. */
  headerNames?(): Iterable<string>;
  /** Remote IP address. The function is absent if the request did not come from a socket. */
  remoteAddress?(): string | undefined;
  /**
   * Reads the whole body. Rejects with a fault: `BODY_TOO_LARGE` if it has more than `max` bytes, `BODY_OVER_BUDGET`
   * if the server holds too many bodies already, another if it arrives too slowly, in too many chunks or not at all.
   */
  body(max: number): Promise<Uint8Array>;
  /**
   * Reads the body in chunks, as they arrive, without holding it. Throws `BODY_TOO_LARGE` after more than `max` bytes, and another fault if
   * no chunk arrives for some time or the body ends early. Absent if the body was already read: then use `body`.
   */
  bodyStream?(max: number): AsyncIterable<Uint8Array>;
};

export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /**
   * Chunks that follow `body`, each sent when it is ready; the response ends with the last one. The next chunk is pulled when the client
   * can take it, and the iterator's `return` is called when the client disconnects.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Makes the connection a WebSocket, if the client asked for one. `onClose` is called also if the connection was never opened. */
  readonly webSocket?: WebSocketHandlers;
};

/** Handlers of a WebSocket that only sends. Messages of the client are ignored; a long one closes the connection. */
export type WebSocketHandlers = {
  readonly onOpen: (peer: WebSocketPeer) => void;
  /** Called when all sent messages have left this process. */
  readonly onDrain: () => void;
  readonly onClose: () => void;
};

export type WebSocketPeer = {
  /** Returns whether more can be sent at once; if not, the caller should wait for `onDrain`. */
  readonly send: (text: string) => boolean;
  readonly close: () => void;
  /** Closes the connection without waiting for messages that were not sent yet. */
  readonly terminate: () => void;
};

export type Handler = (request: HttpRequest) => Promise<HttpResponse>;
