import { expect, test } from 'bun:test';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { TransferableInput } from '../tx/input.ts';
import type { TransferableOutput } from '../tx/output.ts';
import { makeTx } from '../tx/tx.ts';
import type { View } from '../view.ts';
import { explainTx } from './explain.ts';
import { avax, localContext, localRules, xChain } from './ledger.fixture.ts';

const view: View = { utxo: () => undefined, asset: () => undefined, tx: () => undefined, atomic: () => undefined };
const coin = 'aa'.repeat(32) as Id;

const input = (assetID: Id, amount: bigint, outputIndex: number): TransferableInput => ({
  txID: 'bb'.repeat(32) as Id,
  outputIndex,
  assetID,
  input: { kind: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] },
});
const output = (assetID: Id, amount: bigint): TransferableOutput => ({
  assetID,
  output: { kind: 'secp256k1fx.TransferOutput', amount, locktime: 0n, threshold: 0, addresses: [] },
});

test('the check of amounts lists what goes in, out and is burned, by asset; exported outputs count', () => {
  const tx = makeTx(
    {
      kind: 'ExportTx',
      networkID: localRules.networkID,
      blockchainID: xChain,
      inputs: [input(avax, 5_000_000n, 0), input(avax, 2_000_000n, 1), input(coin, 70n, 2)],
      outputs: [output(coin, 30n), output(avax, 1_500_000n)],
      destinationChain: coin,
      exportedOutputs: [output(avax, 4_500_000n)],
      memo: new Uint8Array(0),
    },
    [],
  );
  const check = explainTx(tx, view, localRules, localContext).find(({ rule }) => rule === 'amounts and fee');
  expect(check).toMatchObject({
    ok: true,
    assets: [
      { assetID: idText(avax), have: '7000000', amount: '6000000', fee: '1000000', burned: '1000000' },
      { assetID: idText(coin), have: '70', amount: '30', fee: '0', burned: '40' },
    ],
  });
});
