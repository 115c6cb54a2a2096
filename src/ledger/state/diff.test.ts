import { expect, test } from 'bun:test';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { TransferableOutput } from '../../avm/tx/output.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { createDiff } from './diff.ts';

const assetID = 'aa'.repeat(32) as Id;
const output: TransferableOutput['output'] = { kind: 'secp256k1fx.TransferOutput', amount: 5n, locktime: 0n, threshold: 1, addresses: [] };
const spent = makeUtxo('bb'.repeat(32) as Id, 0, assetID, output);

const spending = (memo: string, { txID, outputIndex } = spent) =>
  makeTx(
    {
      kind: 'BaseTx',
      networkID: 1,
      blockchainID: zeroId,
      outputs: [{ assetID, output }],
      inputs: [{ txID, outputIndex, assetID, input: { kind: 'secp256k1fx.TransferInput', amount: 5n, signatureIndices: [] } }],
      memo: Buffer.from(memo),
    },
    [],
  );

const stored = spending('stored');
const view: View = {
  utxo: ({ txID }) => (txID === spent.txID ? spent : undefined),
  asset: () => undefined,
  tx: (id) => (id === stored.id ? stored : undefined),
  atomic: () => undefined,
};

test('a diff has the transactions, outputs and spent outputs of the blocks below it that are not accepted, and of the parent view', () => {
  const [parent, child] = [createDiff(view), createDiff(view)];
  const tx = spending('first');
  parent.apply(tx, effectsOf(tx));
  const above = createDiff(parent);
  const next = spending('second', { ...spent, txID: tx.id, outputIndex: 0 });
  expect(above.tx(tx.id)).toBe(tx);
  expect(above.tx(stored.id)).toBe(stored);
  expect(above.tx(next.id)).toBeUndefined();
  expect([above.utxo(spent), above.utxo({ txID: tx.id, outputIndex: 0 })?.txID]).toEqual([undefined, tx.id]);
  above.apply(next, effectsOf(next));
  expect([above.tx(next.id), parent.tx(next.id), child.tx(tx.id)]).toEqual([next, undefined, undefined]);
  expect(above.utxo({ txID: tx.id, outputIndex: 0 })).toBeUndefined();
  expect(child.utxo(spent)).toBe(spent);
  expect([[...parent.consumed.keys()], [...above.consumed.values()].map(({ txID }) => txID)]).toEqual([[spent.id], [tx.id]]);
});
