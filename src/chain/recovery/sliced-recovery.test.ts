import { expect, test } from 'bun:test';
import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import type { AnyFault } from '../../base/fault.ts';
import { createSlicedRecovery } from './sliced-recovery.ts';

const hash = new Uint8Array(32);
/** Signatures by `owners`; the one at `wrong` has another signer. */
const expectedOf = (name: string, count: number, wrong = -1): ExpectedSignature[] =>
  Array.from({ length: count }, (_, i) => ({ signature: `${name}${i}${i === wrong ? '!' : ''}`, owner: `${name}${i}` }) as never);

function create(recover: (signatures: readonly string[]) => Promise<string[]> = async (signatures) => [...signatures]) {
  const slices: string[] = [];
  const recovery = createSlicedRecovery((inputs) => {
    const signatures = inputs.map(({ signature }) => signature as unknown as string);
    slices.push(`${signatures[0]}-${signatures.at(-1)}`);
    return recover(signatures) as never;
  });
  return { recovery, slices };
}

test('signers come in order, 32 to a slice', async () => {
  const { recovery, slices } = create();
  expect(await recovery(hash, expectedOf('a', 65), 'all')).toEqual(expectedOf('a', 65).map(({ owner }) => owner));
  expect(slices).toEqual(['a0-a31', 'a32-a63', 'a64-a64']);
  expect(await recovery(hash, [], 'all')).toEqual([]);
});

test('it ends after the slice with a wrong signer, unless all are asked for', async () => {
  const { recovery, slices } = create();
  expect(await recovery(hash, expectedOf('a', 70, 33), 'until one is wrong')).toHaveLength(64);
  expect(await recovery(hash, expectedOf('b', 70, 33), 'all')).toHaveLength(70);
  expect(slices).toHaveLength(5);
});

test('transactions take turns, one slice each', async () => {
  const { recovery, slices } = create();
  await Promise.all([recovery(hash, expectedOf('a', 96), 'all'), recovery(hash, expectedOf('b', 40), 'all')]);
  expect(slices).toEqual(['a0-a31', 'b0-b31', 'a32-a63', 'b32-b39', 'a64-a95']);
});

test('a failed slice fails its transaction, and the next ones go on', async () => {
  const failure = new Error('no thread');
  const { recovery } = create(async (signatures) => {
    if (signatures[0] === 'a0') throw failure;
    return [...signatures];
  });
  const results = await Promise.allSettled([recovery(hash, expectedOf('a', 2), 'all'), recovery(hash, expectedOf('b', 2), 'all')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await recovery(hash, expectedOf('c', 1), 'all')).toEqual(['c0'] as never);
});

test('256 slices may wait; the next transaction is refused', async () => {
  const gate = Promise.withResolvers<void>();
  const { recovery } = create(async (signatures) => {
    await gate.promise;
    return [...signatures];
  });
  // The first is no longer waiting: it runs.
  const accepted = Array.from({ length: 257 }, (_, i) => recovery(hash, expectedOf(`${i}x`, 1), 'all'));
  const refused = await recovery(hash, expectedOf('y', 1), 'all').catch((error: AnyFault) => error.fault.code);
  expect(refused).toBe('RECOVERY_BUSY' as never);
  gate.resolve();
  expect(await Promise.all(accepted)).toHaveLength(257);
});
