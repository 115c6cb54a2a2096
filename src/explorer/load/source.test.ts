import { expect, test } from 'bun:test';
import { callIfAllowed, read, readIfFound, type Source } from './source.ts';

const answering = (status: number, body: unknown): Source => {
  const answer = async () => ({ status, body });
  return { get: answer, post: answer, getText: answer, call: answer } as unknown as Source;
};

test('the body of an answer with status 200 is returned; another status is thrown with the reason of the server', async () => {
  expect(await read<unknown>(answering(200, { a: 1 }), '/a')).toEqual({ a: 1 });
  for (const [status, body, reason] of [
    [503, { message: 'starting' }, 'starting'],
    [400, { message: ['one', 'two'] }, 'one; two'],
    [201, null, 'no reason was given'],
  ] as const)
    await expect(read<unknown>(answering(status, body), '/a')).rejects.toMatchObject({
      message: reason,
      fault: { code: 'PAGE_SOURCE_FAILED', status, path: '/a' },
    });
});

test('what does not exist is undefined, and a failure is not', async () => {
  expect(await readIfFound<unknown>(answering(200, 7), '/a')).toBe(7);
  for (const status of [400, 404]) expect(await readIfFound(answering(status, {}), '/a')).toBeUndefined();
  for (const status of [401, 500, 201]) await expect(readIfFound(answering(status, {}), '/a')).rejects.toMatchObject({ fault: { status } });
});

test('a method that is refused has no result', async () => {
  expect(await callIfAllowed(answering(200, { result: { labels: [] } }), '/ext/dev', 'dev.labels')).toEqual({ labels: [] });
  expect(await callIfAllowed(answering(403, { result: { labels: [] } }), '/ext/dev', 'dev.labels')).toBeUndefined();
});
