import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { idToBytes, zeroId } from '../../base/bytes/id.ts';
import { maxU64, u64Bytes } from '../../base/bytes/octets.ts';
import { appendBlocks, openChain } from './open-chain.fixture.ts';
import { randomChain } from './random-chain.fixture.ts';
import * as inPlace from './stored-utxo.ts';

test('fields read from the stored bytes equal the fields decoded by the codec, for every type of output', () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const source = randomChain(seed);
      appendBlocks(openChain(sqliteDrivers[0].open), source, 2);
      for (const { utxo } of source.model.unspent.values()) {
        const bytes = inPlace.encodeStoredUtxo(utxo);
        kinds.add(utxo.output.kind);
        expect(inPlace.decodeStoredUtxo(bytes)).toEqual(utxo);
        expect(inPlace.storedID(bytes)).toBe(utxo.id);
        expect(inPlace.storedOutputIndex(bytes)).toBe(utxo.outputIndex);
        expect(inPlace.storedOwners(bytes)).toEqual(utxo.output.addresses);
        if (utxo.output.addresses.length === 1) {
          expect(inPlace.hasOnlyOwner(bytes, addressToBytes(utxo.output.addresses[0] as Address))).toBe(true);
          expect(inPlace.hasOnlyOwner(bytes, Buffer.alloc(20, 1))).toBe(false);
        }
        expect(inPlace.ownerCount(bytes)).toBe(utxo.output.addresses.length);
        expect(inPlace.storedThreshold(bytes)).toBe(utxo.output.threshold);
        expect(inPlace.storedLocktime(bytes)).toBe(utxo.output.locktime);
        expect(inPlace.isTransfer(bytes)).toBe(utxo.output.kind === 'secp256k1fx.TransferOutput');
        expect(inPlace.hasAsset(bytes, idToBytes(utxo.assetID))).toBe(true);
        expect(inPlace.hasAsset(bytes, idToBytes(zeroId))).toBe(false);
        if (utxo.output.kind === 'secp256k1fx.TransferOutput') {
          const { amount } = utxo.output;
          expect(inPlace.storedAmount(bytes)).toBe(amount);
          for (const least of [0n, 1n, amount - 1n, amount, amount + 1n, amount * 256n, maxU64])
            if (least <= maxU64) expect(inPlace.hasAmount(bytes, u64Bytes(least))).toBe(amount >= least);
        }
        const copied = Buffer.alloc(34);
        inPlace.copyTxID(bytes, copied, 1);
        expect(toHex(copied)).toBe(`00${utxo.txID}00`);
      }
    }),
    { numRuns: 25 },
  );
  expect(kinds.size).toBe(6);
});
