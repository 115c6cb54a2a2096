import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { toHex } from '../bytes/hex.ts';
import { idToBytes, zeroId } from '../bytes/id.ts';
import { drivers } from '../platform/databases.fixture.ts';
import { grow, openChain } from './grow.fixture.ts';
import { randomChain } from './random-chain.fixture.ts';
import * as inPlace from './stored-utxo.ts';

test('fields read in place are those the codec reads, for every kind of output', () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const source = randomChain(seed);
      grow(openChain(drivers[0].open), source, 2);
      for (const { utxo } of source.model.unspent.values()) {
        const bytes = inPlace.stored(utxo);
        kinds.add(utxo.output.kind);
        expect(inPlace.restored(bytes)).toEqual(utxo);
        expect(inPlace.storedID(bytes)).toBe(utxo.id);
        expect(inPlace.storedIndex(bytes)).toBe(utxo.outputIndex);
        expect(inPlace.storedOwners(bytes)).toEqual(utxo.output.addresses);
        expect(inPlace.ownerCount(bytes)).toBe(utxo.output.addresses.length);
        expect(inPlace.storedLocktime(bytes)).toBe(utxo.output.locktime);
        expect(inPlace.isTransfer(bytes)).toBe(utxo.output.kind === 'secp256k1fx.TransferOutput');
        expect(inPlace.isOfAsset(bytes, idToBytes(utxo.assetID))).toBe(true);
        expect(inPlace.isOfAsset(bytes, idToBytes(zeroId))).toBe(false);
        const copied = Buffer.alloc(34);
        inPlace.copyTxID(bytes, copied, 1);
        expect(toHex(copied)).toBe(`00${utxo.txID}00`);
      }
    }),
    { numRuns: 25 },
  );
  expect(kinds.size).toBe(6);
});
