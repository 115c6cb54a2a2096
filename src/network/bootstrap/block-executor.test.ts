import { expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { executeBlocks } from './block-executor.ts';

const blockOf = (number: number, size = 1): EngineBlock =>
  ({ id: `b${number}`, height: BigInt(number), bytes: new Uint8Array(size) }) as unknown as EngineBlock;
const blocksOf = (count: number, size?: number): EngineBlock[] => Array.from({ length: count }, (_, i) => blockOf(i, size));

/** Executes blocks. Returns what was done in order: preverified and accepted blocks, and the counts that were reported. */
async function execute(blocks: readonly EngineBlock[], vm: { readonly bad?: string; readonly unloadable?: string } = {}, stopAfter = 999) {
  const { timing, until } = createVirtualTiming();
  const steps: string[] = [];
  const counts: number[] = [];
  let isDone = false;
  let fault: AnyFault | undefined;
  const range = (ids: readonly string[]): string => (ids.length === 1 ? `${ids[0]}` : `${ids[0]}-${ids.at(-1)}`);
  const preverified: string[] = [];
  void executeBlocks(
    blocks,
    {
      preverify: async ({ id }: EngineBlock) => {
        if (id === vm.unloadable) throw new TypeError('no output');
        preverified.push(id);
      },
      verify: ({ id }: EngineBlock) => {
        expect(preverified).toContain(id);
        if (id === vm.bad) throw new TypeError('bad block');
      },
      accept: async (ids: readonly Id[]) => void steps.push(range(ids)),
    } as never,
    timing as never,
    (count) => counts.push(count),
    () => counts.length >= stopAfter,
  )
    .catch((error: AnyFault) => {
      fault = error;
    })
    .finally(() => {
      isDone = true;
    });
  await until(() => isDone);
  return { steps, counts, fault, preverified: preverified.length };
}

test('blocks are accepted in batches of 512', async () => {
  expect(await execute(blocksOf(1025))).toMatchObject({
    steps: ['b0-b511', 'b512-b1023', 'b1024'],
    counts: [512, 512, 1],
    fault: undefined,
  });
  expect(await execute([])).toMatchObject({ steps: [], counts: [] });
});

test('a batch has at most 2 MiB, or one block', async () => {
  const half = 1024 * 1024;
  expect((await execute(blocksOf(4, half))).steps).toEqual(['b0-b1', 'b2-b3']);
  expect((await execute(blocksOf(3, half + 1))).steps).toEqual(['b0', 'b1', 'b2']);
  expect((await execute([blockOf(0, 5 * half), blockOf(1), blockOf(2)])).steps).toEqual(['b0', 'b1-b2']);
});

test('the valid blocks before an invalid one are accepted, then it is named', async () => {
  const { steps, counts, fault } = await execute(blocksOf(5), { bad: 'b2' });
  expect([steps, counts, fault?.fault]).toEqual([['b0-b1'], [], { code: 'BOOTSTRAP_INVALID_BLOCK', id: 'b2', height: 2n } as never]);
  expect(fault?.message).toContain('b2 at height 2 is accepted by most beacons but invalid here: ');
  expect((await execute(blocksOf(3), { bad: 'b0' })).steps).toEqual([]);
});

test('what verification needs may fail to load, also for a later batch', async () => {
  const { steps, fault } = await execute(blocksOf(600), { unloadable: 'b590' });
  expect([steps, fault?.message.includes('cannot load what verification needs (')]).toEqual([['b0-b511'], true]);
});

test('the next batch is loaded while one is accepted; a stop ends the work between two batches', async () => {
  expect(await execute(blocksOf(1300), {}, 1)).toEqual({ steps: ['b0-b511'], counts: [512], fault: undefined, preverified: 1024 });
});
