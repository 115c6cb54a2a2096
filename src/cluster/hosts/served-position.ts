import type { Redis } from '../redis/redis.ts';
import { type ReadPosition, startPosition } from './read-position.ts';

/** What servers of a database have served, shared between them so that one that is started later knows it too. Never rejects. */
export type ServedPosition = {
  /** Records what is served now. */
  readonly record: (position: ReadPosition) => Promise<void>;
  /** Records it again and returns what others have recorded. */
  readonly share: (position: ReadPosition) => Promise<ReadPosition>;
};

/** Without Redis every process knows only what it has served itself. */
export const noServedPosition: ServedPosition = { record: async () => {}, share: async () => startPosition };

/** Seconds: after that time without a server nobody remembers what was served. */
const lifeSeconds = 86_400;

/** `namespace` identifies the database. A sorted set, because Redis can raise its scores without lowering them (ZADD GT, since Redis 6.2). */
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
