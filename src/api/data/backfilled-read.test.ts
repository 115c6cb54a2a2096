import { expect, test } from 'bun:test';
import type { BackfillOutcome } from '../rest/served-chains.ts';
import { readBackfilled } from './backfilled-read.ts';

/** A chain of which a value is backfilled once, after a read that runs at the same time. */
function openChain(isCounted: boolean) {
  let [value, backfilled, reads] = ['old', 0, 0];
  const backfillAddresses = async (): Promise<BackfillOutcome> => {
    await Bun.sleep(1);
    if (backfilled > 0) return 'complete';
    value = 'new';
    backfilled++;
    return 'complete';
  };
  return {
    chain: { backfillAddresses, ...(isCounted && { backfills: () => backfilled }) },
    read: async () => {
      reads++;
      return value;
    },
    reads: () => reads,
  };
}

test('a read sees what was backfilled for it', async () => {
  for (const isCounted of [false, true]) {
    const { chain, read } = openChain(isCounted);
    expect(await readBackfilled(chain, [], read)).toBe('new');
  }
});

test('a read runs beside a backfill that may have nothing to do, and again only if it had', async () => {
  const { chain, read, reads } = openChain(true);
  await readBackfilled(chain, [], read);
  expect(reads()).toBe(2);
  await readBackfilled(chain, [], read);
  expect(reads()).toBe(3);
});

test('a read knows whether imports on other chains are known', async () => {
  const read = async (areImportsKnown: boolean) => areImportsKnown;
  const imports = (outcome: BackfillOutcome, isCounted: boolean) =>
    readBackfilled({ backfillAddresses: async () => outcome, ...(isCounted && { backfills: () => 0 }) }, [], read);
  for (const isCounted of [false, true])
    expect([await imports('complete', isCounted), await imports('imports-unknown', isCounted)]).toEqual([true, false]);
  expect(await readBackfilled({ backfillAddresses: undefined, foreignImports: 'unknown' }, [], read)).toBe(false);
});

test('a read fails if the backfill does', async () => {
  const chain = { backfillAddresses: () => Promise.reject(new Error('no node')), backfills: () => 0 };
  expect(await readBackfilled(chain, [], async () => 1).catch((error: Error) => error.message)).toBe('no node');
});
