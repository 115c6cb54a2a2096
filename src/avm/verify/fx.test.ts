import { expect, test } from 'bun:test';
import type { Output } from '../tx/output.ts';
import { requireSingleOutput } from './fx.ts';
import { faultOf } from './ledger.fixture.ts';

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
