/** An HTTP exchange without the socket: what `platform/` makes of one, and what a test makes by hand. */
export type HttpRequest = {
  readonly method: string;
  /** As it came: percent-encoded, without the query. */
  readonly path: string;
  /** What follows the question mark, as it came. */
  readonly query: string;
  /** A header by its lower-case name; null when there is none. */
  header(name: string): string | null;
  /** Address of the other end; undefined where there is no socket. */
  caller?(): string | undefined;
  /**
   * The whole body, at once if it was read already. Rejects with a fault: `BODY_TOO_LARGE` if it has more than `max` bytes, `BODY_OVER_BUDGET`
   * if the server holds too many bodies already, another if it arrives too slowly, in too many chunks or not at all.
   */
  body(max: number): Uint8Array | Promise<Uint8Array>;
};

export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /**
   * Chunks that follow `body`, each sent when it is ready; the response ends with the last one. The next chunk is asked for when the client
   * can take it, and the iterator's `return` is called when the client has left.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
};

export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
