import { expect, test } from 'bun:test';
import { createVirtualClock, settle } from '../../base/timing/virtual-timing.fixture.ts';
import { createDisagreements } from './disagreements.ts';

function create() {
  const clock = createVirtualClock(100);
  const disagreements = createDisagreements(clock);
  const asked: string[] = [];
  const { note } = disagreements;
  return {
    ...disagreements,
    asked,
    /** Notes a disagreement that lasts. */
    open: (what: string): void =>
      note(what, false, async () => {
        asked.push(what);
      }),
    pass: async (milliseconds: number): Promise<string[]> => {
      clock.advance(milliseconds);
      await settle();
      return asked.splice(0);
    },
  };
}

test('the oldest disagreement is told, from its first time, until the nodes agree', async () => {
  const { open, note, oldest, pass } = create();
  expect(oldest()).toBeUndefined();
  open('height');
  await pass(50);
  open('tx');
  open('height');
  expect(oldest()).toEqual({ what: 'height', since: 100 });
  note('height', true, async () => {});
  expect(oldest()).toEqual({ what: 'tx', since: 150 });
  note('unknown', true, async () => {});
  note('tx', true, async () => {});
  expect([oldest(), await pass(10_000)]).toEqual([undefined, []]);
});

test('open questions are asked again every three seconds, also after one that was not answered', async () => {
  const { open, note, pass, asked } = create();
  open('a');
  note('b', false, async () => {
    asked.push('b');
    throw new TypeError('no answer');
  });
  expect([await pass(2999), await pass(1), await pass(2999), await pass(1)]).toEqual([[], ['a', 'b'], [], ['a', 'b']]);
});

test('at most 16 are open', async () => {
  const { open, pass } = create();
  for (let i = 0; i < 20; i++) open(`q${i}`);
  expect(await pass(3000)).toEqual(Array.from({ length: 16 }, (_, i) => `q${i}`));
});

test('after closing nothing is asked, not even by an answer that comes then', async () => {
  const { open, note, close, pass } = create();
  open('a');
  close();
  expect(await pass(10_000)).toEqual([]);
  note('b', false, async () => {});
  expect(await pass(10_000)).toEqual([]);
});
