/** Limits the event streams that each client has open at the same time; see `clientOfAddress`. */
export type StreamLimit = {
  /** The most streams of one client. */
  readonly max: number;
  /** Counts a stream. Returns the function that ends it, or undefined if the client has too many. */
  readonly take: (client: string) => Promise<EndStream | undefined>;
};

/** The most streams of one client where rate limits apply. */
export const maxStreamsPerClient = 64;

/** Counts a stream as ended; further calls have no effect. */
export type EndStream = () => void;

/** Counts the streams of this process only, in its memory. */
export type MemoryStreamLimit = ReturnType<typeof createStreamLimit>;

export function createStreamLimit(max: number) {
  const streams = new Map<string, number>();
  return {
    max,
    /** The open streams of a client. */
    count: (client: string): number => streams.get(client) ?? 0,
    take: (client: string): EndStream | undefined => {
      const count = streams.get(client) ?? 0;
      if (count >= max) return undefined;
      streams.set(client, count + 1);
      let isEnded = false;
      return () => {
        if (isEnded) return;
        isEnded = true;
        const left = (streams.get(client) ?? 1) - 1;
        if (left > 0) streams.set(client, left);
        else streams.delete(client);
      };
    },
  };
}

/** The limit of a process that shares its counts with no other. */
export const createOwnStreamLimit = (memory: MemoryStreamLimit): StreamLimit => ({
  max: memory.max,
  take: async (client) => memory.take(client),
});
