import { expect, test } from 'bun:test';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import { graphTx, graphUrl, maxOpen, outputsPerTx } from './graph-data.ts';

const utxo = (n: number, change: object = {}): Utxo =>
  ({
    utxoId: `u${n}`,
    utxoType: 'transfer',
    asset: { assetId: 'a', type: 'secp256k1' },
    addresses: [`owner ${n}`],
    threshold: 1,
    locktime: 7,
    outputIndex: `${n}`,
    creationTxHash: `from${n}`,
    createdOnChainId: 'X',
    consumingTxHash: undefined,
    consumedOnChainId: 'X',
    ...change,
  }) as unknown as Utxo;
const tx = (consumedUtxos: readonly Utxo[], emittedUtxos: readonly Utxo[], txType = 'BaseTx'): Tx =>
  ({ txHash: 't', txType, blockHeight: 9, consumedUtxos, emittedUtxos }) as unknown as Tx;
const many = (count: number, change: (n: number) => object = () => ({})) => Array.from({ length: count }, (_, n) => utxo(n, change(n)));
const idsOf = (outputs: readonly { readonly id: string }[]) => outputs.map(({ id }) => id);

test('a graph with more transactions shows fewer outputs of each, and at least one', () => {
  const counts = [1, 2, 4, 8, 32, 64, 65, 1000].map(outputsPerTx);
  expect(counts.toSorted((a, b) => b - a)).toEqual(counts);
  expect([outputsPerTx(1), outputsPerTx(8), outputsPerTx(9), outputsPerTx(13), outputsPerTx(maxOpen)]).toEqual([8, 8, 7, 4, 2]);
  expect([outputsPerTx(32), outputsPerTx(64), outputsPerTx(65), outputsPerTx(1000)]).toEqual([2, 1, 1, 1]);
});

test('an output is an edge from the transaction that created it to the one that spent it', () => {
  const { inputs, outputs, ...rest } = graphTx(tx([utxo(1, { consumingTxHash: 't' })], [utxo(2, { utxoType: 'mint' })]), () => false, 3);
  expect(rest).toEqual({ id: 't', type: 'BaseTx', isMint: false, height: 9, moreInputs: 0, moreOutputs: 0 });
  expect(inputs[0]).toEqual({
    ...{
      id: 'u1',
      asset: { assetId: 'a', type: 'secp256k1' } as never,
      type: 'secp256k1',
      isMintRight: false,
      addresses: ['owner 1'],
      threshold: 1,
    },
    ...{ locktime: 7, created: { id: 'from1', chain: 'X' }, index: '1', spent: { id: 't', chain: 'X' }, isSpent: true },
  });
  expect([outputs[0]?.isMintRight, outputs[0]?.isSpent, outputs[0]?.spent.id]).toEqual([true, false, undefined]);
  // Another chain spent it, in a transaction that is not known.
  expect(graphTx(tx([], [utxo(1, { consumingTxTimestamp: 5 })]), () => false, 3).outputs[0]?.isSpent).toBe(true);
  expect(graphTx(tx([utxo(1, { utxoType: 'mint' })], [], 'OperationTx'), () => false, 3).isMint).toBe(true);
});

test('few outputs are all shown; of many, those that lead to an expanded transaction, then the first, in their order', () => {
  const shown = (count: number, max: number, isConnected: (one: Utxo) => boolean, change?: (n: number) => object) => {
    const { outputs, moreOutputs } = graphTx(tx([], many(count, change)), isConnected, max);
    return [...idsOf(outputs), moreOutputs];
  };
  expect(shown(3, 3, () => false)).toEqual(['u0', 'u1', 'u2', 0]);
  expect(shown(4, 3, () => false)).toEqual(['u0', 'u1', 'u2', 1]);
  expect(shown(9, 3, ({ utxoId }) => utxoId === 'u7' || utxoId === 'u5')).toEqual(['u0', 'u5', 'u7', 6]);
  // The first to each transaction comes before a second one to the same.
  const spentBy = (n: number) => ({ consumingTxHash: n < 6 ? 'one' : 'two' });
  expect(shown(9, 2, () => true, spentBy)).toEqual(['u0', 'u6', 7]);
  expect(shown(9, 3, () => true, spentBy)).toEqual(['u0', 'u1', 'u6', 6]);
  expect(shown(9, 1, () => true, spentBy)).toEqual(['u0', 'u6', 7]);
  const inputs = graphTx(
    tx(
      many(5, (n) => ({ creationTxHash: n === 3 ? 'one' : 'two' })),
      [],
    ),
    () => true,
    2,
  );
  expect([...idsOf(inputs.inputs), inputs.moreInputs]).toEqual(['u0', 'u3', 3]);
});

test('the URL of a graph names it and what is expanded', () => {
  expect([graphUrl('a/b', []), graphUrl('t', ['x', 'y'])]).toEqual(['/graph/a%2Fb', '/graph/t?open=x,y']);
});
