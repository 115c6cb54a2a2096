import { expect, test } from 'bun:test';
import { makeTx } from '../../avm/tx/tx.ts';
import { txLayout } from '../../avm/tx/tx-layout.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { encodeStoredUtxo } from './stored-utxo.ts';
import { decodeTxOutputs, encodeTxOutputs } from './tx-outputs.ts';

const id = (digit: string) => digit.repeat(64) as Id;
const owners = (count: number): Address[] => Array.from({ length: count }, (_, i) => (i + 1).toString(16).padStart(40, '0') as Address);
const transferTo = (amount: bigint, count: number) =>
  ({ kind: 'secp256k1fx.TransferOutput', amount, locktime: 2n ** 64n - 1n, threshold: 1, addresses: owners(count) }) as const;

const consumed = [makeUtxo(id('a'), 3, id('c'), transferTo(7n, 1)), makeUtxo(id('b'), 2 ** 31, id('c'), transferTo(2n ** 64n - 1n, 3))];

/** A transfer that consumes the outputs as its inputs say, and creates two. */
function transferOf(utxos: readonly Utxo[]) {
  return makeTx(
    {
      kind: 'BaseTx',
      networkID: 12345,
      blockchainID: id('d'),
      inputs: utxos.map(({ txID, outputIndex, assetID, output }) => {
        const amount = 'amount' in output ? output.amount : 0n;
        return { txID, outputIndex, assetID, input: { kind: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] } };
      }),
      outputs: [1n, 2n].map((amount) => ({ assetID: id('c'), output: transferTo(amount, 1) })),
      memo: new Uint8Array(0),
    },
    utxos.map(() => ({ kind: 'secp256k1fx.Credential' as const, signatures: [new Uint8Array(65)] })),
  );
}

const encode = (spent: readonly Utxo[], known: readonly Utxo[]) => {
  const tx = transferOf(spent);
  const times = new Map(known.map((utxo, i) => [utxo.id, { utxo, time: 1_700_000_000 + i }]));
  return { tx, row: encodeTxOutputs(tx, (wanted) => times.get(wanted)) };
};

test('stored outputs are decoded to the times and bytes of the consumed outputs', () => {
  const { tx, row } = encode(consumed, consumed);
  if (row === null) throw new TypeError('no row');
  const decoded = decodeTxOutputs(row, tx.bytes, txLayout(tx.bytes));
  expect(decoded?.map(({ time }) => time)).toEqual([1_700_000_000, 1_700_000_001]);
  expect(decoded?.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).toEqual(
    consumed.map((utxo) => Buffer.from(encodeStoredUtxo(utxo)).toString('hex')),
  );
});

test('no row: a consumed output is unknown, differs from its input, is no transfer output, or has too many owners', () => {
  const [first, second] = consumed as [Utxo, Utxo];
  const instead = (utxo: Utxo) => encode(consumed, [first, { ...utxo, id: second.id }]).row;
  expect(encode(consumed, [first]).row).toBeNull();
  expect(instead(second)).not.toBeNull();
  expect(instead({ ...second, assetID: id('e') })).toBeNull();
  expect(instead({ ...second, output: transferTo(1n, 3) })).toBeNull();
  const mint = { kind: 'secp256k1fx.MintOutput', locktime: 0n, threshold: 1, addresses: owners(1) } as const;
  expect(instead(makeUtxo(second.txID, second.outputIndex, second.assetID, mint))).toBeNull();
  const ofMany = (count: number) => [makeUtxo(id('a'), 0, id('c'), transferTo(1n, count))];
  expect(encode(ofMany(203), ofMany(203)).row?.length).toBeLessThanOrEqual(4100);
  expect(encode(ofMany(204), ofMany(204)).row).toBeNull();
});
