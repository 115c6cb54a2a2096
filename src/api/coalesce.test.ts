import { expect, test } from 'bun:test';
import { coalesce } from './coalesce.ts';

/** A question whose answers come when the test says so. */
function question() {
  const open: PromiseWithResolvers<number>[] = [];
  const ask = coalesce(() => {
    const asked = Promise.withResolvers<number>();
    open.push(asked);
    return asked.promise;
  });
  return { open, ask };
}

test('nobody is given an answer to a question that was asked before they came', async () => {
  const { open, ask } = question();
  const first = ask();
  const [second, third] = [ask(), ask()];
  expect(open).toHaveLength(1);
  open[0]?.resolve(1);
  expect(await first).toBe(1);
  await Bun.sleep(0);
  expect(open).toHaveLength(2);
  const fourth = ask();
  open[1]?.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await Bun.sleep(0);
  open[2]?.resolve(3);
  expect(await fourth).toBe(3);
  const later = ask();
  open[3]?.resolve(4);
  expect(await later).toBe(4);
});

test('a failure is told to those who waited for it and to no others', async () => {
  const { open, ask } = question();
  const [first, second] = [ask(), ask()];
  open[0]?.reject(new Error('down'));
  await expect(first).rejects.toThrow('down');
  await Bun.sleep(0);
  open[1]?.resolve(2);
  expect(await second).toBe(2);
  const third = ask();
  open[2]?.resolve(3);
  expect(await third).toBe(3);
});
