import { expect, test } from 'bun:test';
import { openThread } from './thread.ts';

const open = () => openThread(new URL('./failing-thread.fixture.ts', import.meta.url));

test('an error in the thread rejects what is pending and what is asked later, and this process goes on', async () => {
  const thread = open();
  expect(await thread.ask(Uint8Array.of(1))).toEqual(Uint8Array.of(1));
  const results = await Promise.allSettled([thread.ask(Uint8Array.of(255)), thread.ask(new Uint8Array(0)), thread.ask(Uint8Array.of(2))]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await expect(thread.ask(Uint8Array.of(3))).rejects.toThrow('the thread broke');
  thread.close();
});

test('a file that is not there is an error of the thread', async () => {
  const thread = openThread(new URL('./no-such-file.ts', import.meta.url));
  await expect(thread.ask(Uint8Array.of(1))).rejects.toThrow();
});

test('closing settles what is pending, also twice', async () => {
  const thread = open();
  const pending = thread.ask(Uint8Array.of(255));
  thread.close();
  thread.close();
  await expect(pending).rejects.toThrow('the thread was closed');
  await expect(thread.ask(Uint8Array.of(1))).rejects.toThrow('the thread was closed');
});
