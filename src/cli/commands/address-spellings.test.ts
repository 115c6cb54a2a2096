import { expect, test } from 'bun:test';
import { fujiId, localId, mainnetId } from '../../avm/network.ts';
import type { Address } from '../../base/bytes/address.ts';
import { addChainPrefix, parseAddressSpellings, spellAddress } from './address-spellings.ts';

const hex = Buffer.from(Uint8Array.from({ length: 20 }, (_, at) => 11 * at)).toString('hex');
const address = hex as Address;

test('an address has one spelling for each network, and those of the P-Chain, hex and CB58', () => {
  const { own, all } = spellAddress(address, localId);
  expect(Object.keys(all)).toEqual(['local', 'P-Chain', 'mainnet', 'fuji', 'hex', 'cb58']);
  expect([all.local, all['P-Chain'], all.hex]).toEqual([own, own.replace('X-', 'P-'), `0x${hex}`]);
  expect([own, all.mainnet, all.fuji].map((text) => text?.slice(0, text.lastIndexOf('1')))).toEqual(['X-local', 'X-avax', 'X-fuji']);
  expect([mainnetId, fujiId].map((id) => Object.keys(spellAddress(address, id).all)[0])).toEqual(['mainnet', 'fuji']);
  // Each of them leads back to the address.
  for (const text of Object.values(all)) expect([text, parseAddressSpellings(text)]).toEqual([text, address]);
  for (const text of [own.slice(2), ` ${own} `, hex, hex.toUpperCase()])
    expect([text, parseAddressSpellings(text)]).toEqual([text, address]);
});

test('other text is no address', () => {
  const { own } = spellAddress(address, localId);
  for (const text of ['', '7', 'alice', own.slice(0, -1), hex.slice(1), `${hex}0`])
    expect([text, parseAddressSpellings(text)]).toEqual([text, undefined]);
});

test('an address without a chain gets one; other text stays', () => {
  const { own } = spellAddress(address, localId);
  const bare = own.slice(2);
  expect([addChainPrefix(bare), addChainPrefix(bare, 'P'), addChainPrefix(own, 'P')]).toEqual([own, `P-${bare}`, own]);
  for (const text of ['alice', '7', `0x${hex}`, bare.slice(0, -1)]) expect(addChainPrefix(text)).toBe(text);
});
