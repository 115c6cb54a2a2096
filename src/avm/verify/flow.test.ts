import { describe, expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { compare, maxU64 } from '../../base/bytes/octets.ts';
import { pack } from '../../base/codec/pack.ts';
import type { TransferableInput } from '../tx/input.ts';
import { TransferableOutput } from '../tx/output.ts';
import { compareOutputs, type Flow, verifyFlow } from './flow.ts';
import { avax, codeOf, faultOf } from './ledger.fixture.ts';

const owner = 'aa'.repeat(20) as Address;
const gold = '11'.repeat(32) as Id;
const silver = 'ee'.repeat(32) as Id;
const out = (amount: bigint, assetID = avax, locktime = 0n): TransferableOutput => ({
  assetID,
  output: { kind: 'secp256k1fx.TransferOutput', amount, locktime, threshold: 1, addresses: [owner] },
});
const input = (amount: bigint, outputIndex = 0, assetID = avax, txID = gold): TransferableInput => ({
  txID,
  outputIndex,
  assetID,
  input: { kind: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] },
});
const flow = (inputs: TransferableInput[], outputs: TransferableOutput[], more: Partial<Flow> = {}): Flow => ({
  fee: 10n,
  inputs: { inputs },
  outputs: { outputs },
  ...more,
});

test('outputs have the order of their encoded bytes', () => {
  const amounts = [0n, 1n, 255n, 256n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 63n, maxU64];
  const all = [gold, silver].flatMap((asset) =>
    amounts.flatMap((amount) => [out(amount, asset), out(amount, asset, 256n), out(amount, asset, 1n)]),
  );
  const owners = [[], [owner], ['ab'.repeat(20) as Address], [owner, owner]].flatMap((addresses) =>
    [1, 2, 256].map((threshold): TransferableOutput => ({ ...out(1n), output: { ...out(1n).output, threshold, addresses } })),
  );
  all.push(...owners);
  for (const a of all)
    for (const b of all)
      expect(Math.sign(compareOutputs(a, b))).toBe(Math.sign(compare(pack(TransferableOutput, a), pack(TransferableOutput, b))));
});

describe('verifyFlow', () => {
  const table: [string, Flow, string | undefined][] = [
    ['exactly enough', flow([input(15n)], [out(5n)]), undefined],
    ['one too little', flow([input(14n)], [out(5n)]), 'TX_INSUFFICIENT_FUNDS'],
    ['everything is burned', flow([input(1000n)], []), undefined],
    ['no input', flow([], []), 'TX_INSUFFICIENT_FUNDS'],
    ['no fee, no input', flow([], [], { fee: 0n }), undefined],
    ['another asset: input equals output', flow([input(10n), input(3n, 1, gold)], [out(3n, gold)]), undefined],
    ['another asset is burned', flow([input(10n), input(3n, 1, gold)], []), undefined],
    ['another asset: output exceeds input', flow([input(10n), input(3n, 1, gold)], [out(4n, gold)]), 'TX_INSUFFICIENT_FUNDS'],
    ['an asset without input', flow([input(10n)], [out(1n, silver)]), 'TX_INSUFFICIENT_FUNDS'],
    ['one asset does not pay for another', flow([input(10n), input(9n, 1, gold)], [out(1n, silver)]), 'TX_INSUFFICIENT_FUNDS'],
    ['equal outputs', flow([input(20n)], [out(5n), out(5n)]), undefined],
    ['outputs not sorted by amount', flow([input(20n)], [out(5n), out(4n)]), 'TX_OUTPUTS_NOT_SORTED'],
    ['amounts are compared as numbers, not as text', flow([input(300n)], [out(9n), out(256n)]), undefined],
    ['equal amounts not sorted by locktime', flow([input(20n)], [out(5n, avax, 1n), out(5n)]), 'TX_OUTPUTS_NOT_SORTED'],
    ['outputs are sorted by asset before amount', flow([input(20n), input(9n, 1, gold)], [out(9n, gold), out(1n)]), undefined],
    ['outputs not sorted by asset', flow([input(20n), input(9n, 1, gold)], [out(1n), out(9n, gold)]), 'TX_OUTPUTS_NOT_SORTED'],
    ['the same input twice', flow([input(20n), input(20n)], []), 'TX_INPUTS_NOT_SORTED'],
    ['inputs not sorted by index', flow([input(20n, 1), input(20n, 0)], []), 'TX_INPUTS_NOT_SORTED'],
    ['indices are compared as numbers, not as text', flow([input(20n, 9), input(20n, 10)], []), undefined],
    ['inputs are sorted by transaction before index', flow([input(20n, 5, avax, gold), input(20n, 0, avax, silver)], []), undefined],
    ['inputs not sorted by transaction', flow([input(20n, 0, avax, silver), input(20n, 5, avax, gold)], []), 'TX_INPUTS_NOT_SORTED'],
    ['an output of the empty asset ID', flow([input(20n)], [out(1n, zeroId)]), 'TX_EMPTY_ASSET_ID'],
    ['an input of the empty asset ID', flow([input(20n, 0, zeroId)], []), 'TX_EMPTY_ASSET_ID'],
    ['an output of 0', flow([input(20n)], [out(0n)]), 'TX_NO_VALUE_OUTPUT'],
    ['an input of 0', flow([input(0n)], []), 'TX_NO_VALUE_INPUT'],
    ['the largest amount', flow([input(10n), input(maxU64, 1, gold)], [out(maxU64, gold)]), undefined],
    ['outputs overflow', flow([input(10n)], [out(1n, gold), out(maxU64, gold)]), 'TX_OVERFLOW'],
    ['output and fee overflow', flow([input(10n)], [out(maxU64 - 9n)]), 'TX_OVERFLOW'],
    ['inputs overflow', flow([input(1n), input(maxU64, 1)], []), 'TX_OVERFLOW'],
    ['the order of inputs is checked before overflow', flow([input(1n), input(1n)], [out(maxU64)]), 'TX_INPUTS_NOT_SORTED'],
    [
      'each list is sorted on its own',
      flow([input(20n)], [out(5n)], { outputs: { outputs: [out(5n)], exportedOutputs: [out(1n)] } }),
      undefined,
    ],
    [
      'the outputs of all lists are added',
      flow([input(15n)], [], { outputs: { outputs: [out(5n)], exportedOutputs: [out(1n)] } }),
      'TX_INSUFFICIENT_FUNDS',
    ],
    [
      'the inputs of all lists are added',
      flow([], [out(5n)], { inputs: { inputs: [input(5n)], importedInputs: [input(10n)] } }),
      undefined,
    ],
  ];
  test.each(table)('%s', (_, value, code) => expect(codeOf(() => verifyFlow(value, avax))).toBe(code as string));
});

test('a fault names path, asset and amounts', () => {
  expect(faultOf(() => verifyFlow(flow([input(14n)], [out(5n)]), avax))).toEqual({
    code: 'TX_INSUFFICIENT_FUNDS',
    assetID: idText(avax),
    need: '15',
    amount: '5',
    fee: '10',
    have: '14',
    text: 'insufficient funds',
  });
  expect(faultOf(() => verifyFlow(flow([input(10n)], [out(1n, silver)]), avax))).toMatchObject({
    need: '1',
    amount: '1',
    fee: '0',
    have: '0',
  });
  expect(faultOf(() => verifyFlow(flow([input(20n)], [out(5n), out(0n)]), avax))?.path).toBe('outputs[1]');
  expect(faultOf(() => verifyFlow(flow([input(20n)], [out(5n), out(4n)]), avax))?.path).toBe('outputs[1]');
});
