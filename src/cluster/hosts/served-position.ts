import type { Redis } from '../redis/redis.ts';
import { type ReadPosition, startPosition } from './read-position.ts';

/**
 * The highest position (heights of the chains, and the revision; see read-position.ts) that any `serac api` of a database has served, shared between
 * these servers in Redis. A server that is started later must not answer with an older state. Used by served-state.ts. Neither function rejects: if
 * Redis does not answer, a server knows only what it has served itself.
 */
export type ServedPosition = {
  /** Records the position that this process is about to serve. */
  readonly record: (position: ReadPosition) => Promise<void>;
  /** Records the position of this process again, in case Redis has lost it. Returns the highest one that is recorded, or `startPosition`. */
  readonly share: (position: ReadPosition) => Promise<ReadPosition>;
};

/** For a server without Redis. */
export const noServedPosition: ServedPosition = { record: async () => {}, share: async () => startPosition };

/** Seconds after which Redis forgets the position if no server has recorded one. */
const lifeSeconds = 86_400;

/**
 * `namespace` identifies the database. The position is a sorted set, one score for each number, because Redis can raise scores without ever lowering them
 * (ZADD GT, since Redis 6.2).
 */
export function createServedPosition(redis: Pick<Redis, 'send'>, namespace: string): ServedPosition {
  const key = `serac:served:${namespace}`;
  const record = async ({ heights, revision }: ReadPosition): Promise<void> => {
    const members = [...heights.flatMap((height, i) => [String(height), `height ${i}`]), String(revision), 'revision'];
    await redis
      .send('ZADD', [key, 'GT', ...members])
      .then(() => redis.send('EXPIRE', [key, String(lifeSeconds)]))
      .catch(() => undefined);
  };
  return {
    record,
    share: async (position) => {
      await record(position);
      const members = [...position.heights.map((_, i) => `height ${i}`), 'revision'];
      const found = await redis.send('ZMSCORE', [key, ...members]).catch(() => undefined);
      if (!Array.isArray(found)) return startPosition;
      const numbers = found.map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : 0));
      return { heights: numbers.slice(0, -1), revision: numbers[numbers.length - 1] ?? 0 };
    },
  };
}
