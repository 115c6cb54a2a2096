import { expect, test } from 'bun:test';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import type { PageContext } from './page-context.ts';
import type { Source } from './source.ts';
import { isShared, readSigners } from './tx-signers.ts';

const output = (creationTxHash: string, owners: number, other: Partial<Utxo> = {}): Utxo =>
  ({
    utxoId: `utxo ${creationTxHash}`,
    creationTxHash,
    outputIndex: '1',
    addresses: Array.from({ length: owners }, (_, at) => `local1owner${at}`),
    threshold: 2,
    ...other,
  }) as Utxo;
const ref = (txID: string) => ({ txID, outputIndex: 1 });
const input = (txID: string, ...signatureIndices: number[]) => ({ ...ref(txID), input: { amount: 1, signatureIndices } });
const operation = (txID: string, operation: object) => ({ inputIDs: [ref(txID)], operation });
const unsignedTx = {
  inputs: [input('base', 0, 2), input('single', 0)],
  importedInputs: [input('imported', 1, 2)],
  operations: [
    operation('mint', { mintInput: { signatureIndices: [1, 3] } }),
    operation('nft', { input: { signatureIndices: [0, 1] } }),
    operation('burn', { signatureIndices: [2, 3] }),
  ],
};
const calls: unknown[] = [];
const source = {
  call: (_path: string, method: string, params: object) => {
    calls.push([method, params]);
    return Promise.resolve({ status: 200, body: { result: { tx: { unsignedTx } } } });
  },
} as unknown as Source;
const context = (rpc: boolean): PageContext => ({ has: { rpc }, chain: { rpcUrl: '/ext/bc/X' } }) as unknown as PageContext;
const txOf = (...consumedUtxos: Utxo[]): Tx => ({ txHash: 'tx', consumedUtxos }) as unknown as Tx;

test('signers are read from inputs, imported inputs and every kind of operation, for shared outputs only', async () => {
  const names = ['base', 'imported', 'mint', 'nft', 'burn'];
  const single = output('single', 1, { threshold: 1 });
  expect(await readSigners(source, context(true), txOf(...names.map((name) => output(name, 4)), single))).toEqual({
    'utxo base': [0, 2],
    'utxo imported': [1, 2],
    'utxo mint': [1, 3],
    'utxo nft': [0, 1],
    'utxo burn': [2, 3],
  });
  expect(calls.splice(0)).toEqual([['avm.getTx', { txID: 'tx', encoding: 'json' }]]);
});

test('nothing is asked if no output is shared, and nothing is known without the Node RPC', async () => {
  expect(await readSigners(source, context(true), txOf(output('single', 1, { threshold: 1 })))).toEqual({});
  expect(await readSigners(source, context(false), txOf(output('base', 3)))).toEqual({});
  expect(calls).toEqual([]);
  expect(isShared(output('imported', 2, { isIncomplete: true }))).toBe(false);
});
