import { expect, test } from 'bun:test';
import { idOf } from '../../base/bytes/id.ts';
import { atOneTip } from './one-tip.ts';

/** A chain that gets a block during each of the first `blocks` runs of the work. */
function openChain(blocks: number) {
  let height = 0;
  let runs = 0;
  return {
    tip: async () => ({ height, id: idOf(Buffer.from(`${height}`)), time: height, lastTx: height }),
    work: async () => {
      const first = height;
      if (runs++ < blocks) height++;
      return [first, height];
    },
    runs: () => runs,
  };
}

test('reads are repeated until no block is added between them', async () => {
  for (const blocks of [0, 1, 3]) {
    const { tip, work, runs } = openChain(blocks);
    expect([await atOneTip(tip, work), runs()]).toEqual([[blocks, blocks], blocks + 1]);
  }
});

test('a chain that gets a block during every read is answered all the same', async () => {
  const { tip, work, runs } = openChain(Number.POSITIVE_INFINITY);
  expect([await atOneTip(tip, work), runs()]).toEqual([[9, 10], 10]);
});
