import { expect, test } from 'bun:test';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import { canvasOutput, signedTx, slimTx, slimUtxo } from './slim.ts';
import { allKinds, glyphs, isMint, kindOf, kindOfType } from './tx-kind.ts';

const tx = (txType: string, ...utxoTypes: string[]) =>
  ({ txType, consumedUtxos: utxoTypes.map((utxoType) => ({ utxoType })) }) as unknown as Tx;

test('kinds have a word and a colour of their own, in the order of the legend', () => {
  expect(allKinds.map(([type, { word, color }]) => [type, word, color])).toEqual([
    ['BaseTx', 'Transfer', 1],
    ['OperationTx', 'Operation', 2],
    ['CreateAssetTx', 'Create asset', 3],
    ['ImportTx', 'Import', 4],
    ['ExportTx', 'Export', 5],
  ]);
  expect(new Set(allKinds.map(([, { glyph }]) => glyphs[glyph])).size).toBe(5);
});

test('an operation that consumes a mint output mints', () => {
  expect([isMint(tx('OperationTx', 'transfer', 'mint')), isMint(tx('OperationTx', 'transfer')), isMint(tx('BaseTx', 'mint'))]).toEqual([
    true,
    false,
    false,
  ]);
  expect([kindOf(tx('OperationTx', 'mint')), kindOf(tx('OperationTx')).word, kindOfType('ImportTx').word]).toEqual([
    { word: 'Mint', color: 2, glyph: 'plus' },
    'Operation',
    'Import',
  ]);
});

test('bytes and signatures of outputs are left out, except signatures of inputs where they are asked for', () => {
  const shown = { utxoId: 'u', timestamp: 1, threshold: 1, locktime: 0, asset: { assetId: 'g' }, addresses: ['a', 'b'] };
  const utxo = { ...shown, utxoBytes: '0x', credentials: ['c'] } as unknown as Utxo;
  const both = { txHash: 't', consumedUtxos: [utxo], emittedUtxos: [utxo] } as unknown as Tx;
  expect([slimUtxo(utxo), slimTx(both), signedTx(both)] as unknown[]).toEqual([
    shown,
    { txHash: 't', consumedUtxos: [shown], emittedUtxos: [shown] },
    { txHash: 't', consumedUtxos: [{ ...shown, credentials: ['c'] }], emittedUtxos: [shown] },
  ]);
  const { addresses: _, ...drawn } = shown;
  expect([canvasOutput(utxo), canvasOutput({ ...utxo, groupId: 0 })] as unknown[]).toEqual([
    { ...drawn, owners: 2 },
    { ...drawn, owners: 2, groupId: 0 },
  ]);
});
