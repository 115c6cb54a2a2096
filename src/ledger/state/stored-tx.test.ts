import { expect, test } from 'bun:test';
import { makeTx } from '../../avm/tx/tx.ts';
import { txLayout } from '../../avm/tx/tx-layout.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { createdCount, createdUtxos, openCreatedUtxos } from './stored-tx.ts';

const id = '11'.repeat(32) as Id;
const anyone = { locktime: 0n, threshold: 0, addresses: [] };

/** A transaction with one transfer output and as many NFTs as fit into 64 KiB. */
const tx = makeTx(
  {
    kind: 'OperationTx',
    networkID: 1,
    blockchainID: id,
    outputs: [{ assetID: id, output: { kind: 'secp256k1fx.TransferOutput', amount: 1n, ...anyone } }],
    inputs: [],
    memo: new Uint8Array(),
    operations: [
      {
        assetID: id,
        inputIDs: [{ txID: id, outputIndex: 0 }],
        operation: {
          kind: 'nftfx.MintOperation',
          mintInput: { signatureIndices: [] },
          groupID: 7,
          payload: new Uint8Array(3),
          outputs: Array.from({ length: 3900 }, () => anyone),
        },
      },
    ],
  },
  [],
);
const row = { id: idToBytes(tx.id), bytes: tx.bytes };
const readAll = () => createdUtxos({ ...row, layout: txLayout(tx.bytes) });

test('single outputs of a transaction are those of the whole list', () => {
  const all = readAll();
  const outputAt = openCreatedUtxos(row);
  expect(createdCount(tx.bytes)).toBe(all.length);
  for (const index of [0, 1, 2, 3900, 3901]) expect(outputAt(index)).toEqual(all[index] as (typeof all)[number]);
});

test('a single output is read without decoding the transaction', () => {
  const withoutCredentials = { ...row, bytes: tx.bytes.subarray(0, tx.unsignedSize) };
  const [outputAt, cutOutputAt] = [openCreatedUtxos(row), openCreatedUtxos(withoutCredentials)];
  expect(cutOutputAt(3900)).toEqual(outputAt(3900) as Uint8Array);
  expect(createdCount(withoutCredentials.bytes)).toBe(3901);
});
