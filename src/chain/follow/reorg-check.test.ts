import { expect, test } from 'bun:test';
import { makeBlock } from '../../avm/tx/block.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { createMutex } from '../../base/timing/slots.ts';
import { FollowError } from './fault.ts';
import { createReorgCheck } from './reorg-check.ts';

/** A block of a branch: branches differ from a height on. */
const blockOf = (height: bigint, branch: bigint) => makeBlock({ parentID: zeroId, height, time: branch, txs: [] });

/** A chain of 1001 blocks whose last `depth` were replaced on the node, which has blocks up to `nodeHeight`. */
function open(depth: bigint, nodeHeight: bigint, kept: bigint) {
  let tip = 1000n;
  let requests = 0;
  const common = 1000n - depth;
  const goBack = createReorgCheck({
    remote: {
      blockAt: async (height) => {
        requests++;
        return height > nodeHeight ? undefined : blockOf(height, height > common ? 2n : 1n);
      },
    },
    ledger: {
      blockAt: async (height) => (height > tip ? undefined : blockOf(height, 1n).bytes),
      lastAccepted: async () => blockOf(tip, 1n),
    },
    keptStates: {
      lowestHeight: () => 1000n - kept,
      revertTo: async (height) => {
        tip = height;
      },
    },
    lockWrites: createMutex(),
  });
  return { run: () => goBack(blockOf(1000n, 1n)), tip: () => tip, requests: () => requests };
}

test('finds the last common block in few requests, whatever was replaced', async () => {
  for (const depth of [0n, 1n, 2n, 3n, 63n, 64n, 500n, 999n, 1000n])
    for (const nodeHeight of [1000n, 1000n - depth, 1200n]) {
      const { run, tip, requests } = open(depth, nodeHeight, 1000n);
      expect((await run()).height).toBe(1000n - depth);
      expect(tip()).toBe(1000n - depth);
      expect(requests()).toBeLessThanOrEqual(12);
    }
});

test('goes back to no block that is not kept, and says which one differs', async () => {
  for (const [nodeHeight, told] of [
    [1000n, expect.any(String)],
    [900n, undefined],
  ] as const) {
    const { run, tip } = open(65n, nodeHeight, 64n);
    const error = (await run().catch((reason: unknown) => reason)) as FollowError;
    expect(error).toBeInstanceOf(FollowError);
    expect(error.fault).toEqual({ code: 'FOLLOW_BLOCK_CHANGED', height: '936', held: expect.any(String), ...(told && { told }) });
    expect(tip()).toBe(1000n);
  }
});
