/** Clock, timers and randomness of the network layer; injected, so that tests control them. */
export type PeerTiming = {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly unixSeconds: () => bigint;
  /** Runs after a number of milliseconds. Returns a function that cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs in the next turn of the event loop, after the I/O that has already arrived. */
  readonly soon: (run: () => void) => void;
  readonly randomBytes: (length: number) => Uint8Array;
};

/** A random number from 0 to below 1. */
export const randomNumber = ({ randomBytes }: Pick<PeerTiming, 'randomBytes'>): number =>
  new DataView(Uint8Array.from(randomBytes(4)).buffer).getUint32(0) / 2 ** 32;

/** Up to `count` different elements in random order. */
export function sample<T>(items: readonly T[], count: number, timing: Pick<PeerTiming, 'randomBytes'>): T[] {
  const rest = [...items];
  const chosen: T[] = [];
  const random = Uint8Array.from(timing.randomBytes(4 * Math.min(count, rest.length)));
  const numbers = new DataView(random.buffer);
  while (chosen.length < count && rest.length > 0) {
    const at = Math.floor((numbers.getUint32(4 * chosen.length) / 2 ** 32) * rest.length);
    chosen.push(rest[at] as T);
    rest[at] = rest.at(-1) as T;
    rest.pop();
  }
  return chosen;
}
