import { expect, test } from 'bun:test';
import { coalesce } from './coalesce.ts';

/** A query whose results the test controls. */
function createQuery() {
  const queries: PromiseWithResolvers<number>[] = [];
  const call = coalesce(() => {
    const query = Promise.withResolvers<number>();
    queries.push(query);
    return query.promise;
  });
  return { queries, call };
}

test('no call gets the result of a query that started before it', async () => {
  const { queries, call } = createQuery();
  const first = call();
  const [second, third] = [call(), call()];
  expect(queries).toHaveLength(1);
  queries[0]?.resolve(1);
  expect(await first).toBe(1);
  await Bun.sleep(0);
  expect(queries).toHaveLength(2);
  const fourth = call();
  queries[1]?.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await Bun.sleep(0);
  queries[2]?.resolve(3);
  expect(await fourth).toBe(3);
  const later = call();
  queries[3]?.resolve(4);
  expect(await later).toBe(4);
});

test('a failure rejects only the calls that waited for that query', async () => {
  const { queries, call } = createQuery();
  const [first, second] = [call(), call()];
  queries[0]?.reject(new Error('down'));
  await expect(first).rejects.toThrow('down');
  await Bun.sleep(0);
  queries[1]?.resolve(2);
  expect(await second).toBe(2);
  const third = call();
  queries[2]?.resolve(3);
  expect(await third).toBe(3);
});
