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
  const tx = makeTx(
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
  return { tx, created: [0, 1].map((i) => makeUtxo(tx.id, i, id('c'), transferTo(BigInt(i + 1), 1))) };
}

const seqs = [5, 2 ** 48 - 1];
const encode = (spent: readonly Utxo[], known: readonly Utxo[]) => {
  const { tx, created } = transferOf(spent);
  const numbers = new Map(created.map((utxo, i) => [utxo.id, seqs[i]]));
  const times = new Map(known.map((utxo, i) => [utxo.id, { utxo, time: 1_700_000_000 + i }]));
  const row = encodeTxOutputs(
    tx,
    created,
    (wanted) => numbers.get(wanted),
    (wanted) => times.get(wanted),
  );
  return { tx, row };
};

test('stored outputs are decoded to the numbers of the created and the bytes of the consumed outputs', () => {
  const { tx, row } = encode(consumed, consumed);
  if (row === null) throw new TypeError('no row');
  const decoded = decodeTxOutputs(row, tx.bytes, txLayout(tx.bytes));
  expect(decoded?.seqs).toEqual(seqs);
  expect(decoded?.consumed.map(({ time }) => time)).toEqual([1_700_000_000, 1_700_000_001]);
  expect(decoded?.consumed.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).toEqual(
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
