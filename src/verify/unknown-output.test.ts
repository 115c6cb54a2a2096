import { describe, expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { idOf } from '../bytes/id.ts';
import type { View } from '../state/view.ts';
import type { Credential } from '../tx/credential.ts';
import { makeTx } from '../tx/tx.ts';
import { avax, codeOf, credential, localContext, pChain, xChain } from './ledger.fixture.ts';
import { verifySpend } from './spend.ts';

const [first, second] = ['11'.repeat(20), '22'.repeat(20)] as Address[] as [Address, Address];

/** A view in which an output was there, though nobody can say what it was. */
const view: View = {
  utxo: () => undefined,
  asset: (id) => (id === avax ? { id, fxs: [0] } : undefined),
  tx: () => undefined,
  atomic: () => 'unknown',
};

const importing = (signatureIndices: number[], signed: Credential, assetID = avax) =>
  makeTx(
    {
      kind: 'ImportTx',
      networkID: 12345,
      blockchainID: xChain,
      outputs: [],
      inputs: [],
      memo: new Uint8Array(0),
      sourceChain: pChain,
      importedInputs: [
        {
          txID: idOf(Buffer.from('export')),
          outputIndex: 0,
          assetID,
          input: { kind: 'secp256k1fx.TransferInput', amount: 5n, signatureIndices },
        },
      ],
    },
    [signed],
  );

const verdict = (...args: Parameters<typeof importing>) => codeOf(() => verifySpend(importing(...args), view, localContext));

describe('an import of an output that nobody could tell', () => {
  test('passes if its signatures can be those of owners in order', () => {
    expect(verdict([0], credential('secp256k1fx', first))).toBeUndefined();
    expect(verdict([1, 4], credential('secp256k1fx', first, second))).toBeUndefined();
    expect(verdict([], credential('secp256k1fx'))).toBeUndefined();
  });

  test('fails for what is wrong all the same', () => {
    expect(verdict([0, 1], credential('secp256k1fx', first))).toBe('TX_SIGNATURE_COUNT');
    expect(verdict([0, 1], credential('secp256k1fx', second, first))).toBe('TX_ADDRESSES_NOT_SORTED');
    expect(verdict([0, 1], credential('secp256k1fx', first, first))).toBe('TX_ADDRESSES_NOT_SORTED');
    expect(verdict([0], credential('nftfx', first))).toBe('TX_INCOMPATIBLE_FX');
    expect(verdict([0], credential('secp256k1fx', first), idOf(Buffer.from('no asset')))).toBe('TX_ASSET_NOT_FOUND');
  });
});
