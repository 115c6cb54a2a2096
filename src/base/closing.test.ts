import { expect, test } from 'bun:test';
import { closeOnFailure, createClosing, openTogether } from './closing.ts';

/** A part that notes its end, later than the next turn. */
const partOf = (steps: string[], name: string, error?: Error) => ({
  close: async () => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(name);
    if (error !== undefined) throw error;
  },
});

test('servers are closed first and together, then the parts, the last opened first, each once', async () => {
  const steps: string[] = [];
  const { add, addServer, close } = createClosing(() => {});
  const first = partOf(steps, 'first');
  expect(add(first)).toBe(first);
  add({});
  addServer(partOf(steps, 'server 1'));
  add(partOf(steps, 'second'));
  addServer(partOf(steps, 'server 2'));
  const closed = close();
  expect(close()).toBe(closed);
  await closed;
  expect(steps).toEqual(['server 1', 'server 2', 'second', 'first']);
});

test('an error does not keep the others open: the first is thrown, the rest are logged', async () => {
  const steps: string[] = [];
  const logged: unknown[] = [];
  const { add, close } = createClosing((error) => logged.push(error));
  const [one, two] = [new TypeError('one'), new TypeError('two')];
  add(partOf(steps, 'first', one));
  add({
    close: () => {
      throw two;
    },
  });
  await expect(close()).rejects.toBe(two);
  expect([steps, logged]).toEqual([['first'], [one]]);
});

test('what was opened is closed if a later part fails, and stays open otherwise', async () => {
  const steps: string[] = [];
  const log: string[] = [];
  const env = { log: (line: string) => void log.push(line) };
  const failure = new TypeError('third');
  const failed = openTogether(env, async (opened) => {
    opened.add(partOf(steps, 'first', new TypeError('closing')));
    opened.add(partOf(steps, 'second'));
    throw failure;
  });
  await expect(failed).rejects.toBe(failure);
  expect([steps, log]).toEqual([['second', 'first'], ['TypeError: closing']]);
  expect(
    await openTogether(env, async (opened) => {
      opened.add(partOf(steps, 'open'));
      return 5;
    }),
  ).toBe(5);
  expect(steps).toEqual(['second', 'first']);
});

test('an error of closing does not hide why it is closed', async () => {
  const logged: unknown[] = [];
  const [failure, closing] = [new TypeError('work'), new TypeError('closing')];
  const close = (): void => {
    throw closing;
  };
  const work = closeOnFailure(
    { close },
    (error) => logged.push(error),
    () => Promise.reject(failure),
  );
  await expect(work).rejects.toBe(failure);
  expect(logged).toEqual([closing]);
});
