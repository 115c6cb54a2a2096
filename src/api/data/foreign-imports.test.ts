import { expect, test } from 'bun:test';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { apiError } from '../rest/api-error.ts';
import { lookUpImports } from './foreign-imports.ts';

const exportOf = (...owners: number[]) =>
  makeUtxo(zeroId, 0, zeroId, {
    ...{ kind: 'secp256k1fx.TransferOutput', amount: 1n, locktime: 0n, threshold: 1 },
    addresses: owners.map((owner) => `${owner}`.padStart(40, '0') as Address),
  });

async function lookUp(exported: readonly ReturnType<typeof exportOf>[], changes: object = {}) {
  const asked: (readonly Address[])[] = [];
  const chain = {
    foreignImports: 'looked-up',
    status: () => 'OK',
    backfillAddresses: async (owners: readonly Address[]) => {
      asked.push(owners);
      return 'done';
    },
    ...changes,
  };
  return { isKnown: await lookUpImports(chain as never, exported), asked: asked.map((owners) => owners.map(Number)) };
}

test('one owner of each output is looked up, once', async () => {
  expect(await lookUp([exportOf(1, 2), exportOf(1), exportOf(3)])).toEqual({ isKnown: true, asked: [[1, 3]] });
});

test('nothing is looked up by a node that knows all imports, nor without exports', async () => {
  expect(await lookUp([exportOf(1)], { foreignImports: undefined })).toEqual({ isKnown: true, asked: [] });
  expect(await lookUp([], { foreignImports: 'unknown' })).toEqual({ isKnown: true, asked: [] });
});

test('imports are not known without the other chains, while the chain is not well, and of more than 64 owners', async () => {
  expect(await lookUp([exportOf(1)], { foreignImports: 'unknown' })).toEqual({ isKnown: false, asked: [] });
  expect(await lookUp([exportOf(1)], { status: () => 'down' })).toEqual({ isKnown: false, asked: [] });
  const many = Array.from({ length: 64 }, (_, i) => exportOf(i));
  expect([(await lookUp(many)).isKnown, (await lookUp([...many, exportOf(64)])).isKnown]).toEqual([true, false]);
});

test('imports are not known if the lookup says so or is refused, or if an output has no owner', async () => {
  expect((await lookUp([exportOf(1)], { backfillAddresses: async () => 'imports-unknown' })).isKnown).toBe(false);
  expect((await lookUp([exportOf(1)], { backfillAddresses: () => Promise.reject(apiError(503, 'busy')) })).isKnown).toBe(false);
  expect(await lookUp([exportOf(), exportOf(2)])).toEqual({ isKnown: false, asked: [[2]] });
  const bug = new TypeError('bug');
  await expect(lookUp([exportOf(1)], { backfillAddresses: () => Promise.reject(bug) })).rejects.toBe(bug);
});
