import { expect, spyOn, test } from 'bun:test';
import { createKeepAlive } from './keep-alive.ts';

test('the process is kept running while work is open, by one timer that Node accepts', async () => {
  const [set, clear] = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')];
  try {
    const { during } = createKeepAlive();
    const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    const works = [during(first.promise)];
    expect(set).toHaveBeenCalledTimes(1);
    works.push(during(second.promise));
    // Node takes a longer interval for one of a millisecond.
    expect(set.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([2_147_483_647]);
    first.resolve(1);
    expect([await works[0], clear.mock.calls]).toEqual([1, []]);
    second.reject(new Error('failed'));
    await expect(works[1]).rejects.toThrow('failed');
    expect<unknown>(clear.mock.calls[0]?.[0]).toBe(set.mock.results[0]?.value);
    expect(clear).toHaveBeenCalledTimes(1);
  } finally {
    set.mockRestore();
    clear.mockRestore();
  }
});
