/** Limits the event streams that each client has open at the same time; see `clientOfAddress`. */
export type StreamLimit = {
  /** The most streams of one client. */
  readonly max: number;
  /** Counts a stream. Returns the function that ends it, or undefined if the client has too many. */
  readonly take: (client: string) => EndStream | undefined | Promise<EndStream | undefined>;
};

/** The most streams of one client where rate limits apply. */
export const maxStreamsPerClient = 64;

/** Counts a stream as ended; further calls have no effect. */
export type EndStream = () => void;

/** A `StreamLimit` that decides synchronously, in this process's memory. */
export type MemoryStreamLimit = Pick<StreamLimit, 'max'> & {
  readonly take: (client: string) => EndStream | undefined;
  /** The open streams of a client. */
  readonly count: (client: string) => number;
};

export function createStreamLimit(max: number): MemoryStreamLimit {
  const streams = new Map<string, number>();
  return {
    max,
    count: (client) => streams.get(client) ?? 0,
    take: (client) => {
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
