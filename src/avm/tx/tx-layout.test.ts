import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { pack, versionSize } from '../../base/codec/pack.ts';
import { consumedIds, createdOutputs } from './effects.ts';
import type { FxOperation, Operation } from './operation.ts';
import { Output } from './output.ts';
import { readU32 } from './output-layout.ts';
import { makeTx, type Tx, unsignedBytes } from './tx.ts';
import {
  type AddedOutput,
  addedOutputs,
  consumedRefs,
  credentialFields,
  credentialOf,
  inputFields,
  outputEnd,
  txLayout,
} from './tx-layout.ts';
import type { UnsignedTx } from './unsigned.ts';
import { utxoIdBytes } from './utxo.ts';

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const id = bytesOf(32).map((bytes) => toHex(bytes) as Id);
const u32 = fc.nat(0xffffffff);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const owners = fc.record({
  locktime: u64,
  threshold: u32,
  addresses: fc.array(
    bytesOf(20).map((bytes) => toHex(bytes) as Address),
    { maxLength: 4 },
  ),
});
const payload = fc.uint8Array({ maxLength: 40 });
const signatureIndices = fc.array(u32, { maxLength: 3 });
const signers = fc.record({ signatureIndices });

const transferOutput = fc.record({ amount: u64 }).chain((amount) => owners.map((of) => ({ ...amount, ...of })));
const nftOutput = fc.record({ groupID: u32, payload }).chain((nft) => owners.map((of) => ({ ...nft, ...of })));
const output = transferOutput.map((of) => ({ kind: 'secp256k1fx.TransferOutput' as const, ...of }));
const outputs = fc.array(fc.record({ assetID: id, output }), { maxLength: 4 });
const input = fc.record({ kind: fc.constant('secp256k1fx.TransferInput' as const), amount: u64, signatureIndices });
const inputs = fc.array(fc.record({ txID: id, outputIndex: u32, assetID: id, input }), { maxLength: 4 });
const base = fc.record({ networkID: u32, blockchainID: id, outputs, inputs, memo: fc.uint8Array({ maxLength: 256 }) });

const fxOperation: fc.Arbitrary<FxOperation> = fc.oneof(
  fc.record({
    kind: fc.constant('secp256k1fx.MintOperation' as const),
    mintInput: signers,
    mintOutput: owners,
    transferOutput,
  }),
  fc.record({
    kind: fc.constant('nftfx.MintOperation' as const),
    mintInput: signers,
    groupID: u32,
    payload,
    outputs: fc.array(owners, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('nftfx.TransferOperation' as const), input: signers, output: nftOutput }),
  fc.record({
    kind: fc.constant('propertyfx.MintOperation' as const),
    mintInput: signers,
    mintOutput: owners,
    ownedOutput: owners,
  }),
  fc.record({ kind: fc.constant('propertyfx.BurnOperation' as const), signatureIndices }),
);
const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.record({ assetID: id, inputIDs: fc.array(fc.record({ txID: id, outputIndex: u32 }), { maxLength: 3 }), operation: fxOperation }),
  { maxLength: 4 },
);
const states = fc.array(
  fc.record({
    fxIndex: u32,
    outputs: fc.array(
      fc.oneof(
        output,
        nftOutput.map((of) => ({ kind: 'nftfx.TransferOutput' as const, ...of })),
        fc.record({ groupID: u32 }).chain((group) => owners.map((of) => ({ kind: 'nftfx.MintOutput' as const, ...group, ...of }))),
        fc
          .constantFrom('secp256k1fx.MintOutput' as const, 'propertyfx.MintOutput' as const, 'propertyfx.OwnedOutput' as const)
          .chain((kind) => owners.map((of) => ({ kind, ...of }))),
      ),
      { maxLength: 3 },
    ),
  }),
  { maxLength: 3 },
);
const unsignedTx: fc.Arbitrary<UnsignedTx> = base.chain((of) =>
  fc.oneof(
    fc.constant({ kind: 'BaseTx' as const, ...of }),
    fc.record({ name: payload, symbol: payload, denomination: fc.nat(32), initialStates: states }).map((rest) => ({
      kind: 'CreateAssetTx' as const,
      ...of,
      ...rest,
    })),
    operations.map((operations) => ({ kind: 'OperationTx' as const, ...of, operations })),
    fc.record({ sourceChain: id, importedInputs: inputs }).map((rest) => ({ kind: 'ImportTx' as const, ...of, ...rest })),
    fc.record({ destinationChain: id, exportedOutputs: outputs }).map((rest) => ({ kind: 'ExportTx' as const, ...of, ...rest })),
  ),
);
const credentialKinds = ['secp256k1fx.Credential', 'nftfx.Credential', 'propertyfx.Credential'] as const;
const credentials = fc.array(
  fc.record({ kind: fc.constantFrom(...credentialKinds), signatures: fc.array(bytesOf(65), { maxLength: 3 }) }),
  { maxLength: 5 },
);
const signedTx = fc.tuple(unsignedTx, credentials).map(([unsigned, signed]) => makeTx(unsigned, signed));

const signersOf = ({ operation }: Operation): readonly number[] => {
  if ('mintInput' in operation) return operation.mintInput.signatureIndices;
  return 'input' in operation ? operation.input.signatureIndices : operation.signatureIndices;
};

test('the offsets are those of the decoded transaction, of every kind', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(signedTx, (tx: Tx) => {
      const { bytes, unsigned } = tx;
      seen.add(unsigned.kind);
      const layout = txLayout(bytes);
      const hexAt = (at: number, length: number) => toHex(bytes.subarray(at, at + length));
      const u64At = (at: number) => Buffer.from(bytes).readBigUInt64BE(at);
      expect(layout.kind).toBe(unsigned.kind);
      expect(toHex(bytes.subarray(...layout.memo))).toBe(toHex(unsigned.memo));
      expect(layout.unsignedSize).toBe(unsignedBytes(tx).length);
      const exported = unsigned.kind === 'ExportTx' ? unsigned.exportedOutputs : [];
      const imported = unsigned.kind === 'ImportTx' ? unsigned.importedInputs : [];
      expect([layout.ownOutputs, layout.ownInputs]).toEqual([unsigned.outputs.length, unsigned.inputs.length]);
      expect(layout.outputs.map((at) => [hexAt(at, 32), readU32(bytes, at + 32), u64At(at + 36), outputEnd(bytes, at) - at])).toEqual(
        [...unsigned.outputs, ...exported].map(({ assetID, output }) => [
          assetID,
          7,
          output.kind === 'secp256k1fx.TransferOutput' ? output.amount : -1n,
          60 + 20 * output.addresses.length,
        ]),
      );
      expect(layout.inputs.map((at) => [hexAt(at + inputFields.assetID, 32), u64At(at + inputFields.amount)])).toEqual(
        [...unsigned.inputs, ...imported].map(({ assetID, input }) => [assetID, input.amount]),
      );
      const refs = consumedRefs(layout);
      expect(refs.map((at) => toHex(utxoIdBytes(bytes, at, readU32(bytes, at + inputFields.outputIndex))))).toEqual(consumedIds(tx));
      const ofOperations = unsigned.kind === 'OperationTx' ? unsigned.operations : [];
      expect(layout.operations.map(({ assetID }) => hexAt(assetID, 32))).toEqual(ofOperations.map(({ assetID }) => assetID));
      const expectedSigners = [
        ...[...unsigned.inputs, ...imported].map(({ input }, slot) => ({ slot, signers: input.signatureIndices })),
        ...ofOperations.flatMap((op, i) => op.inputIDs.map(() => ({ slot: unsigned.inputs.length + i, signers: signersOf(op) }))),
      ];
      const foundSigners = refs.map((_, ref) => {
        const { slot, signers: at } = credentialOf(layout, ref);
        return { slot, signers: Array.from({ length: readU32(bytes, at) }, (_, i) => readU32(bytes, at + 4 + 4 * i)) };
      });
      expect(foundSigners).toEqual(expectedSigners.map(({ slot, signers }) => ({ slot, signers: [...signers] })));
      const other =
        unsigned.kind === 'ImportTx' ? unsigned.sourceChain : unsigned.kind === 'ExportTx' ? unsigned.destinationChain : undefined;
      expect(layout.otherChain === 0 ? undefined : hexAt(layout.otherChain, 32)).toBe(other as string);
      const signaturesAt = (at: number) =>
        Array.from({ length: readU32(bytes, at + credentialFields.count) }, (_, i) => hexAt(at + credentialFields.signatures + 65 * i, 65));
      expect(layout.credentials.map(signaturesAt)).toEqual(
        tx.credentials.map((credential) => ('signatures' in credential ? credential.signatures.map(toHex) : [])),
      );
    }),
    { numRuns: 500 },
  );
  expect(seen.size).toBe(5);
});

test('bytes that are cut short are an error, not an endless list', () => {
  const output = { kind: 'secp256k1fx.TransferOutput', amount: 1n, locktime: 0n, threshold: 1, addresses: [] } as const;
  const chainID = '00'.repeat(32) as Id;
  const outputs = [{ assetID: chainID, output: { ...output, addresses: [] } }];
  const { bytes } = makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: chainID, outputs, inputs: [], memo: new Uint8Array(0) }, []);
  const damaged = bytes.slice();
  // The number of outputs.
  damaged.fill(0xff, 42, 46);
  expect(() => txLayout(damaged)).toThrow(RangeError);
});

test('credentials after one without signatures are left out', () => {
  const chainID = '00'.repeat(32) as Id;
  const owners = { kind: 'secp256k1fx.MintOutput', locktime: 0n, threshold: 1, addresses: [] } as const;
  const credential = { kind: 'secp256k1fx.Credential' as const, signatures: [] };
  const tx = makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: chainID, outputs: [], inputs: [], memo: new Uint8Array(0) }, [
    credential,
    { ...owners, addresses: [] },
    credential,
  ]);
  expect(txLayout(tx.bytes).credentials).toHaveLength(1);
});

test('added outputs are those of the decoded transaction, of every kind', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(signedTx, (tx: Tx) => {
      const { bytes, id: txID, unsigned } = tx;
      const hexAt = (start: number, end: number) => toHex(bytes.subarray(start, end));
      const expected = createdOutputs(tx).slice(unsigned.outputs.length);
      for (const { output } of expected) seen.add(output.kind);
      const { count, at } = addedOutputs(bytes);
      expect(
        Array.from({ length: count }, (_, i) => {
          const { assetID, typeID, head, owners } = at(i) as AddedOutput;
          return {
            assetID: assetID === 0 ? txID : hexAt(assetID, assetID + 32),
            output: typeID.toString(16).padStart(8, '0') + hexAt(...head) + hexAt(...owners),
          };
        }),
      ).toEqual(expected.map(({ assetID, output }) => ({ assetID, output: toHex(pack(Output, output).subarray(versionSize)) })));
      expect(at(count)).toBeUndefined();
    }),
    { numRuns: 300 },
  );
  expect(seen.size).toBe(6);
});
