import { expect, test } from 'bun:test';
import { createCloseStack } from './close-stack.ts';

test('everything is closed in reverse order, a group concurrently, even if some of it fails to close', async () => {
  const closed: string[] = [];
  const reported: unknown[] = [];
  const closing = createCloseStack((error) => void reported.push(error));
  closing.add(() => void closed.push('store'));
  closing.add(() => {
    throw new Error('keys');
  });
  const addServer = closing.addGroup();
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
  const first = closing.close();
  expect(closing.close()).toBe(first);
  fast.resolve();
  await Bun.sleep(1);
  slow.resolve();
  await expect(first).rejects.toThrow('server');
  expect(closed).toEqual(['fast server', 'slow server', 'store']);
  expect(reported.map((error) => (error as Error).message)).toEqual(['keys']);
  await expect(closing.close()).rejects.toThrow('server');
  expect(closed).toHaveLength(3);
});
