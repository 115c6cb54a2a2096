import { expect, test } from 'bun:test';
import type { Output } from '../../avm/tx/output.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { zeroAddress } from '../../base/bytes/address.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { encodeStoredUtxo } from '../state/stored-utxo.ts';
import { assetTypeOf, isMintOutput, isNft, listedAmount, outputKindOf, sumFromBytes, sumToBytes, unitsOf } from './output-amount.ts';

const owners = { locktime: 0n, threshold: 1, addresses: [zeroAddress] };
const group = { groupID: 1, ...owners };
const outputs: [output: Output, outputClass: string, type: string, units: bigint, listed: bigint][] = [
  [{ kind: 'secp256k1fx.TransferOutput', amount: 7n, ...owners }, 'amount', 'secp256k1', 7n, 7n],
  [{ kind: 'secp256k1fx.MintOutput', ...owners }, 'mint', 'secp256k1', 0n, 0n],
  [{ kind: 'nftfx.TransferOutput', payload: new Uint8Array(1), ...group }, 'nft', 'nft', 0n, 1n],
  [{ kind: 'nftfx.MintOutput', ...group }, 'mint', 'nft', 0n, 0n],
  [{ kind: 'propertyfx.OwnedOutput', ...owners }, 'nft', 'nft', 0n, 1n],
  [{ kind: 'propertyfx.MintOutput', ...owners }, 'mint', 'nft', 0n, 0n],
];

test('how each kind of output counts, also without being decoded', () => {
  for (const [output, outputClass, type, units, listed] of outputs) {
    expect([output.kind, isMintOutput(output), isNft(output)]).toEqual([output.kind, outputClass === 'mint', outputClass === 'nft']);
    expect([output.kind, assetTypeOf(output), unitsOf(output), listedAmount(output)]).toEqual([output.kind, type as never, units, listed]);
    expect(outputKindOf(encodeStoredUtxo(makeUtxo(zeroId, 0, zeroId, output)))).toEqual({ class: outputClass, type } as never);
  }
});

test('sums are sixteen bytes, and may exceed 64 bits', () => {
  for (const sum of [0n, 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 64n + 5n, 2n ** 127n + 3n])
    expect([sumToBytes(sum).length, sumFromBytes(sumToBytes(sum))]).toEqual([16, sum]);
  expect(Buffer.from(sumToBytes(2n ** 64n + 258n)).toString('hex')).toBe('00000000000000010000000000000102');
});
