import { expect, test } from 'bun:test';
import { openThread } from './thread.ts';

const open = () => openThread(new URL('./failing-thread.fixture.ts', import.meta.url));

test('an error in the thread rejects pending and later requests, and this process keeps running', async () => {
  const thread = open();
  expect(await thread.request(Uint8Array.of(1))).toEqual(Uint8Array.of(1));
  const results = await Promise.allSettled([
    thread.request(Uint8Array.of(255)),
    thread.request(new Uint8Array(0)),
    thread.request(Uint8Array.of(2)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await expect(thread.request(Uint8Array.of(3))).rejects.toThrow('the thread broke');
  thread.close();
});

test('requests to a thread with a missing file are rejected', async () => {
  const thread = openThread(new URL('./no-such-file.ts', import.meta.url));
  await expect(thread.request(Uint8Array.of(1))).rejects.toThrow();
});

test('close rejects pending requests, and can be called twice', async () => {
  const thread = open();
  const pending = thread.request(Uint8Array.of(255));
  thread.close();
  thread.close();
  await expect(pending).rejects.toThrow('the thread was closed');
  await expect(thread.request(Uint8Array.of(1))).rejects.toThrow('the thread was closed');
});
