import { expect, test } from 'bun:test';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { type Address, zeroAddress } from '../../base/bytes/address.ts';
import { withChecksum } from '../../base/bytes/end-checksum.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import type { AddressFormat } from './address-format.ts';
import { queryUtxos, type ReadUtxoPage } from './utxo-query.ts';

const [own, platform] = ['a'.repeat(64), 'b'.repeat(64)] as [Id, Id];
const address = (digit: string): Address => digit.repeat(40) as Address;
const utxoOf = (index: number) =>
  makeUtxo(own, index, zeroId, {
    ...{ kind: 'secp256k1fx.TransferOutput', amount: 5n, locktime: 0n, threshold: 1, addresses: [address('1')] },
  });

/** Addresses are written as `X-` and a digit. */
const addressFormat = {
  chainID: own,
  hasOwnOutputs: true,
  aliases: { find: (name: string) => (name === 'P' ? platform : undefined) },
  format: (one: Address) => `X-${one[0]}`,
  parse: (text: string) => {
    if (!/^X-\d$/.test(text)) throw new Fault('no address', { code: 'TEST_NO_ADDRESS' });
    return address(text.slice(2));
  },
} as Partial<AddressFormat> as AddressFormat;

type Params = Parameters<typeof queryUtxos>[0];

/** What a query reads, and what it answers. `utxos`: those of the page. */
function query(given: Partial<Params>, { utxos = [] as readonly Uint8Array[], format = addressFormat } = {}) {
  const params = {
    addresses: ['X-1'],
    sourceChain: '',
    limit: 0,
    startIndex: { address: '', utxo: '' },
    encoding: 'hex',
    ...given,
  } as Params;
  const reads: Parameters<ReadUtxoPage>[] = [];
  const json = queryUtxos(params, format, (...read) => {
    reads.push(read);
    return { utxos, end: { address: address('9'), utxoID: platform } };
  });
  return { read: reads[0] as Parameters<ReadUtxoPage>, answer: JSON.parse(`${json.json}`) };
}
const refused = (...args: Parameters<typeof query>): unknown => {
  try {
    return query(...args).answer;
  } catch (error) {
    return (error as AnyFault).fault;
  }
};

test('from 1 to 1,024 addresses may be asked for; each is read once', () => {
  expect(refused({ addresses: [] })).toEqual({ code: 'AVM_NO_ADDRESSES' });
  expect(refused({ addresses: Array(1025).fill('X-1') })).toEqual({ code: 'AVM_TOO_MANY_ADDRESSES', got: 1025, max: 1024 });
  expect(query({ addresses: Array(1024).fill('X-1') }).read[1]).toEqual([address('1')]);
  expect(query({ addresses: ['X-3', 'X-1', 'X-3'] }).read[1]).toEqual([address('1'), address('3')]);
});

test('without a source the outputs are those of the chain itself; the C-Chain has none, and an unknown chain is refused', () => {
  expect([query({}).read[0], query({ sourceChain: 'P' }).read[0]]).toEqual([own, platform]);
  expect(refused({ sourceChain: 'Q' })).toEqual({ code: 'AVM_UNKNOWN_CHAIN', name: 'Q' });
  const format = { ...addressFormat, hasOwnOutputs: false };
  expect(refused({}, { format })).toEqual({ code: 'AVM_NO_SOURCE_CHAIN' });
  expect(query({ sourceChain: 'P' }, { format }).read[0]).toBe(platform);
});

test('a page has at most 1,024 outputs, which is also meant by 0', () => {
  expect([0, 1, 1024, 1025].map((limit) => query({ limit }).read[3])).toEqual([1024, 1, 1024, 1024]);
});

test('a page begins behind the start index, of which both parts must be given or none', () => {
  expect(query({}).read[2]).toEqual({ address: zeroAddress, utxoID: zeroId });
  expect(query({ startIndex: { address: 'X-2', utxo: idText(platform) } }).read[2]).toEqual({ address: address('2'), utxoID: platform });
  expect(refused({ startIndex: { address: '', utxo: idText(platform) } })).toEqual({ code: 'AVM_BAD_CURSOR', reason: 'no address' });
  expect(refused({ startIndex: { address: 'X-2', utxo: '' } })).toMatchObject({ code: 'AVM_BAD_CURSOR' });
  expect(query({}).answer.endIndex).toEqual({ address: 'X-9', utxo: idText(platform) });
});

test('outputs are hex with a checksum, or without one; JSON is refused if there is any', () => {
  const plain = [0, 1, 2].map((index) => utxoOf(index).bytes);
  const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
  for (const count of [0, 1, 3]) {
    const utxos = plain.slice(0, count).map(withChecksum);
    expect(query({}, { utxos }).answer).toMatchObject({ numFetched: `${count}`, utxos: utxos.map(hex), encoding: 'hex' });
    expect(query({ encoding: 'hexnc' }, { utxos }).answer.utxos).toEqual(plain.slice(0, count).map(hex));
  }
  expect(query({ encoding: 'json' }).answer).toMatchObject({ numFetched: '0', utxos: [], encoding: 'json' });
  expect(refused({ encoding: 'json' }, { utxos: [withChecksum(plain[0] as Uint8Array)] })).toEqual({
    code: 'AVM_ENCODING',
    encoding: 'json',
  });
});
