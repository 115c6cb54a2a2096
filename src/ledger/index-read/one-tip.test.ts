import { expect, test } from 'bun:test';
import { idOf } from '../../base/bytes/id.ts';
import { atOneTip } from './one-tip.ts';

/** A chain that gets a block during each of the first `blocks` runs of the work. */
function openChain(blocks: number, isOld = false) {
  let height = 0;
  let runs = 0;
  const tipNow = async () => ({ height, id: idOf(Buffer.from(`${height}`)), time: height, lastTx: height });
  return {
    tips: { newestTip: tipNow, tip: isOld ? async () => ({ ...(await tipNow()), id: idOf(Buffer.from('old')) }) : tipNow },
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
    const { tips, work, runs } = openChain(blocks);
    expect([await atOneTip(tips, work), runs()]).toEqual([[blocks, blocks], blocks + 1]);
  }
});

test('a chain that gets a block during every read is answered all the same', async () => {
  const { tips, work, runs } = openChain(Number.POSITIVE_INFINITY);
  expect([await atOneTip(tips, work), runs()]).toEqual([[9, 10], 10]);
});

test('reads are repeated if the block that was known before them is not the last one', async () => {
  const { tips, work, runs } = openChain(0, true);
  expect([await atOneTip(tips, work), runs()]).toEqual([[0, 0], 2]);
});
