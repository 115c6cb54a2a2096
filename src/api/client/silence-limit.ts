/**
 * Ends a connection over which nothing comes for too long. `signal` is aborted then; it is watched from the start, so a server that does not
 * even answer counts as silent.
 */
export function createSilenceLimit(milliseconds: number): {
  readonly signal: AbortSignal;
  /** Passes the chunks of the connection on, in whatever time each of them takes the caller. */
  readonly watch: (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>;
  readonly stop: () => void;
} {
  const aborter = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = (): void => {
    timer = setTimeout(() => aborter.abort(), milliseconds);
  };
  const stop = (): void => clearTimeout(timer);
  start();
  return {
    signal: aborter.signal,
    stop,
    watch: async function* (chunks) {
      try {
        for await (const chunk of chunks) {
          stop();
          yield chunk;
          start();
        }
      } finally {
        stop();
      }
    },
  };
}
