import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import type { Output } from '../tx/output.ts';
import { requireSingleOutput } from './fx.ts';
import { nftRules } from './fx-nft.ts';
import { propertyRules } from './fx-property.ts';
import { secpRules } from './fx-secp.ts';
import { codeOf, faultOf } from './ledger.fixture.ts';
import { limits } from './rules.ts';

const output: Output = { kind: 'secp256k1fx.MintOutput', locktime: 0n, threshold: 1, addresses: [] };

test('an operation spends exactly one output; the fault says how many it spends', () => {
  expect(requireSingleOutput([output], 'utxos')).toBe(output);
  const text = 'wrong number of UTXOs for the operation';
  for (const got of [0, 2])
    expect(faultOf(() => requireSingleOutput(Array(got).fill(output), 'UTXOs'))).toEqual({
      code: 'TX_WRONG_UTXO_COUNT',
      want: 1,
      got,
      text,
    });
});

const alice = 'a'.repeat(40) as Address;
const owners = { locktime: 0n, threshold: 1, addresses: [alice] };
/** Nobody can spend what they own. */
const badOwners = { ...owners, threshold: 2 };
const signed = { signatureIndices: [0] };
const badlySigned = { signatureIndices: [1, 0] };
const payload = new Uint8Array(limits.maxPayload);
const longPayload = new Uint8Array(limits.maxPayload + 1);
const [unspendable, unsorted, tooLarge, noValue] = [
  'TX_OUTPUT_UNSPENDABLE',
  'TX_SIGNATURE_INDICES_NOT_SORTED',
  'TX_PAYLOAD_TOO_LARGE',
  'TX_NO_VALUE_OUTPUT',
] as const;

/** A value that is right, and for each of its parts a wrong one with the code of its fault. */
const values: readonly [
  name: string,
  verify: (value: never) => void,
  right: object,
  wrong: readonly (readonly [part: object, code: string])[],
][] = [
  [
    'minting an amount',
    secpRules.values['secp256k1fx.MintOperation'],
    { mintInput: signed, mintOutput: owners, transferOutput: { ...owners, amount: 5n } },
    [
      [{ mintInput: badlySigned }, unsorted],
      [{ mintOutput: badOwners }, unspendable],
      [{ transferOutput: { ...badOwners, amount: 5n } }, unspendable],
      [{ transferOutput: { ...owners, amount: 0n } }, noValue],
    ],
  ],
  [
    'minting an NFT',
    nftRules.values['nftfx.MintOperation'],
    { mintInput: signed, groupID: 1, payload, outputs: [owners, owners] },
    [
      [{ mintInput: badlySigned }, unsorted],
      [{ payload: longPayload }, tooLarge],
      [{ outputs: [owners, badOwners] }, unspendable],
    ],
  ],
  [
    'sending an NFT',
    nftRules.values['nftfx.TransferOperation'],
    { input: signed, output: { ...owners, groupID: 1, payload } },
    [
      [{ input: badlySigned }, unsorted],
      [{ output: { ...badOwners, groupID: 1, payload } }, unspendable],
      [{ output: { ...owners, groupID: 1, payload: longPayload } }, tooLarge],
    ],
  ],
  [
    'minting a property',
    propertyRules.values['propertyfx.MintOperation'],
    { mintInput: signed, mintOutput: owners, ownedOutput: owners },
    [
      [{ mintInput: badlySigned }, unsorted],
      [{ mintOutput: badOwners }, unspendable],
      [{ ownedOutput: badOwners }, unspendable],
    ],
  ],
  ['burning a property', propertyRules.values['propertyfx.BurnOperation'], signed, [[badlySigned, unsorted]]],
];

test.each(values)('%s: each part is verified', (_, verify, right, wrong) => {
  expect(codeOf(() => verify(right as never))).toBeUndefined();
  for (const [part, code] of wrong) expect([part, codeOf(() => verify({ ...right, ...part } as never))]).toEqual([part, code]);
});
