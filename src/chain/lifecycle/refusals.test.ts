import { expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { createRefusals } from './refusals.ts';

const fault = (message: string): AnyFault => ({ message, fault: { code: 'MEMPOOL_FULL' } }) as AnyFault;
const idsOf = (count: number): Id[] => Array.from({ length: count }, (_, i) => idOf(Buffer.from(`transaction ${i}`)));

test('the reasons of the last refusals are known, also of transactions that were refused again; compared with a list', () => {
  const max = 8;
  const random = createRandom(1);
  const ids = idsOf(24);
  const refusals = createRefusals(max);
  let list: { readonly id: Id; readonly message: string }[] = [];
  let forgotten = new Set<Id>();
  for (let i = 0; i < 3000; i++) {
    const id = random.pick(ids);
    const action = random.below(40);
    if (action === 0) {
      refusals.clear();
      list = [];
    } else if (action < 6) {
      refusals.remove(id);
      forgotten.add(id);
    } else {
      refusals.add(id, fault(`reason ${i}`));
      list = [...list, { id, message: `reason ${i}` }].slice(-max);
      forgotten = new Set([...forgotten].filter((one) => one !== id));
    }
    for (const one of ids) {
      const expected = forgotten.has(one) ? undefined : list.findLast((entry) => entry.id === one)?.message;
      expect(refusals.get(one)?.reason).toBe(expected);
    }
  }
});

test('a refusal costs the same whether the oldest reason is dropped for it or not', () => {
  const ids = idsOf(16_384);
  const add = (refusals: ReturnType<typeof createRefusals>): number => {
    const before = process.cpuUsage().user;
    for (let round = 0; round < 4; round++) for (const id of ids) refusals.add(id, fault('no'));
    return process.cpuUsage().user - before;
  };
  const measure = (max: number): number => Math.min(...[1, 2, 3].map(() => add(createRefusals(max))));
  expect(measure(4096) / measure(200_000)).toBeLessThan(4);
});
