import { expect, test } from 'bun:test';
import { createParts } from './parts.ts';

test('parts are closed in reverse order, servers first and concurrently, even if some of it fails to close', async () => {
  const closed: string[] = [];
  const reported: unknown[] = [];
  const parts = createParts((error) => void reported.push(error));
  parts.add({ close: () => void closed.push('store') });
  parts.add({
    close: () => {
      throw new Error('keys');
    },
  });
  const addServer = (close: () => Promise<void>): void => parts.addServer({ close });
  const [slow, fast] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  addServer(async () => {
    await slow.promise;
    closed.push('slow server');
  });
  addServer(async () => {
    await fast.promise;
    closed.push('fast server');
    throw new Error('server');
  });
  const first = parts.close();
  expect(parts.close()).toBe(first);
  fast.resolve();
  await Bun.sleep(1);
  slow.resolve();
  await expect(first).rejects.toThrow('server');
  expect(closed).toEqual(['fast server', 'slow server', 'store']);
  expect(reported.map((error) => (error as Error).message)).toEqual(['keys']);
  await expect(parts.close()).rejects.toThrow('server');
  expect(closed).toHaveLength(3);
});
