import { expect, test } from 'bun:test';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { parseAddressText } from './address-text.ts';
import type { PageContext } from './page-context.ts';

const context = { chain: { alias: 'X' }, network: { hrp: 'local' } } as unknown as PageContext;
const bytes = Uint8Array.from({ length: 20 }, (_, at) => 7 * at);
const hex = Buffer.from(bytes).toString('hex');
const address = `X-${bech32Encode('local', bytes)}`;

test('every spelling of an address is that of this chain and network', () => {
  const spellings = [
    address,
    address.slice(2),
    `P-${address.slice(2)}`,
    address.toUpperCase(),
    `C-${bech32Encode('avax', bytes)}`,
    `0x${hex}`,
    `0x${hex.toUpperCase()}`,
  ];
  for (const text of spellings) expect([text, parseAddressText(context, text)]).toEqual([text, { address, hex }] as never);
});

test('what is no address is none', () => {
  const wrong = `${address.slice(0, -1)}${address.endsWith('q') ? 'p' : 'q'}`;
  for (const text of [
    '',
    'X-',
    wrong,
    `0x${hex}0`,
    hex,
    bech32Encode('local', bytes.slice(1)),
    bech32Encode('local', new Uint8Array(32)),
    'x'.repeat(101),
  ])
    expect([text, parseAddressText(context, text)]).toEqual([text, undefined]);
  // The prefix counts: a text of a hundred characters is still read.
  const long = `${'X'.repeat(100 - address.length + 1)}${address.slice(1)}`;
  expect([long.length, parseAddressText(context, long)?.address, parseAddressText(context, `X${long}`)]).toEqual([100, address, undefined]);
});
