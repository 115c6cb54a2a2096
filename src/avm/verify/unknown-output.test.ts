import { describe, expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { idOf } from '../../base/bytes/id.ts';
import type { Credential } from '../tx/credential.ts';
import { makeTx } from '../tx/tx.ts';
import type { View } from '../view.ts';
import { avax, codeOf, credential, localContext, pChain, xChain } from './ledger.fixture.ts';
import { verifySpend } from './spend.ts';

const [first, second] = ['11'.repeat(20), '22'.repeat(20)] as Address[] as [Address, Address];

/** A view in which the imported output existed, but its content is unknown. */
const view: View = {
  utxo: () => undefined,
  asset: (id) => (id === avax ? { id, fxs: [0] } : undefined),
  tx: () => undefined,
  atomic: () => 'unknown',
};

const importTx = (signatureIndices: number[], signed: Credential, assetID = avax) =>
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

const errorCodeOf = (...args: Parameters<typeof importTx>) => codeOf(() => verifySpend(importTx(...args), view, localContext));

describe('an import of an unknown output', () => {
  test('passes if its signers are sorted', () => {
    expect(errorCodeOf([0], credential('secp256k1fx', first))).toBeUndefined();
    expect(errorCodeOf([1, 4], credential('secp256k1fx', first, second))).toBeUndefined();
    expect(errorCodeOf([], credential('secp256k1fx'))).toBeUndefined();
  });

  test('fails for a wrong signature count, signer order, credential type or asset', () => {
    expect(errorCodeOf([0, 1], credential('secp256k1fx', first))).toBe('TX_SIGNATURE_COUNT');
    expect(errorCodeOf([0, 1], credential('secp256k1fx', second, first))).toBe('TX_ADDRESSES_NOT_SORTED');
    expect(errorCodeOf([0, 1], credential('secp256k1fx', first, first))).toBe('TX_ADDRESSES_NOT_SORTED');
    expect(errorCodeOf([0], credential('nftfx', first))).toBe('TX_INCOMPATIBLE_FX');
    expect(errorCodeOf([0], credential('secp256k1fx', first), idOf(Buffer.from('no asset')))).toBe('TX_ASSET_NOT_FOUND');
  });
});
