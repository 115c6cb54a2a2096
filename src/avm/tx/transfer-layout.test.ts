import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { credentialFields, inputFields, outputFields, readU32, transferLayout } from './transfer-layout.ts';
import { makeTx, type Tx, unsignedBytes } from './tx.ts';
import { refId, utxoIdBytes } from './utxo.ts';

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const id = bytesOf(32).map((bytes) => toHex(bytes) as Id);
const address = bytesOf(20).map((bytes) => toHex(bytes) as Address);
const u32 = fc.nat(0xffffffff);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const owners = { locktime: u64, threshold: u32, addresses: fc.array(address, { maxLength: 4 }) };

const transferOutput = fc.record({ kind: fc.constant('secp256k1fx.TransferOutput' as const), amount: u64, ...owners });
const transferInput = fc.record({
  kind: fc.constant('secp256k1fx.TransferInput' as const),
  amount: u64,
  signatureIndices: fc.array(u32, { maxLength: 3 }),
});
const outputs = fc.array(fc.record({ assetID: id, output: transferOutput }), { maxLength: 5 });
const inputs = fc.array(fc.record({ txID: id, outputIndex: u32, assetID: id, input: transferInput }), { maxLength: 5 });
const credentials = fc.array(
  fc.record({ kind: fc.constant('secp256k1fx.Credential' as const), signatures: fc.array(bytesOf(65), { maxLength: 3 }) }),
  { maxLength: 5 },
);
const transfer = fc
  .tuple(u32, id, outputs, inputs, fc.uint8Array({ maxLength: 256 }), credentials)
  .map(([networkID, blockchainID, outputs, inputs, memo, signed]) =>
    makeTx({ kind: 'BaseTx', networkID, blockchainID, outputs, inputs, memo }, signed),
  );

test('the offsets are those of the decoded transaction', () => {
  fc.assert(
    fc.property(transfer, ({ bytes, unsigned, credentials, ...tx }: Tx) => {
      const layout = transferLayout(bytes);
      if (layout === undefined) throw new Error('not a transfer');
      const hexAt = (at: number, length: number) => toHex(bytes.subarray(at, at + length));
      const u64At = (at: number) => Buffer.from(bytes).readBigUInt64BE(at);
      const lengths = [layout.outputs.length, layout.inputs.length, layout.credentials.length];
      expect(lengths).toEqual([unsigned.outputs.length + 1, unsigned.inputs.length + 1, credentials.length + 1]);
      for (const [i, { assetID, output }] of unsigned.outputs.entries()) {
        const at = layout.outputs[i] as number;
        expect(hexAt(at + outputFields.assetID, 32)).toBe(assetID);
        expect(u64At(at + outputFields.amount)).toBe(output.kind === 'secp256k1fx.TransferOutput' ? output.amount : -1n);
        expect(u64At(at + outputFields.locktime)).toBe(output.locktime);
        expect(readU32(bytes, at + outputFields.threshold)).toBe(output.threshold);
        expect(readU32(bytes, at + outputFields.ownerCount)).toBe(output.addresses.length);
        for (const [j, owner] of output.addresses.entries()) expect(hexAt(at + outputFields.owners + 20 * j, 20)).toBe(owner);
      }
      for (const [i, ref] of unsigned.inputs.entries()) {
        const at = layout.inputs[i] as number;
        expect(toHex(utxoIdBytes(bytes, at + inputFields.txID, readU32(bytes, at + inputFields.outputIndex)))).toBe(refId(ref));
        expect(hexAt(at + inputFields.assetID, 32)).toBe(ref.assetID);
        expect(u64At(at + inputFields.amount)).toBe(ref.input.amount);
        expect(readU32(bytes, at + inputFields.signerCount)).toBe(ref.input.signatureIndices.length);
        for (const [j, signer] of ref.input.signatureIndices.entries())
          expect(readU32(bytes, at + inputFields.signers + 4 * j)).toBe(signer);
      }
      for (const [i, credential] of credentials.entries()) {
        const at = layout.credentials[i] as number;
        const signatures = 'signatures' in credential ? credential.signatures : [];
        expect(readU32(bytes, at + credentialFields.count)).toBe(signatures.length);
        for (const [j, signature] of signatures.entries())
          expect(hexAt(at + credentialFields.signatures + 65 * j, 65)).toBe(toHex(signature));
      }
      expect(toHex(bytes.subarray(...layout.memo))).toBe(toHex(unsigned.memo));
      expect(layout.memo[1]).toBe(unsignedBytes({ bytes, unsigned, credentials, ...tx }).length);
    }),
    { numRuns: 300 },
  );
});

test('a transaction that is cut short, has more bytes, or has other types is not a transfer', () => {
  fc.assert(
    fc.property(transfer, fc.nat(), ({ bytes }, at) => {
      expect(transferLayout(bytes.subarray(0, at % bytes.length))).toBeUndefined();
      expect(transferLayout(Buffer.concat([bytes, Buffer.alloc(1)]))).toBeUndefined();
    }),
  );
  const base = { networkID: 1, blockchainID: '00'.repeat(32) as Id, inputs: [], memo: new Uint8Array(0) };
  expect(
    transferLayout(makeTx({ kind: 'BaseTx', ...base, outputs: [] }, [{ kind: 'nftfx.Credential', signatures: [] }]).bytes),
  ).toBeUndefined();
  const exported = { kind: 'ExportTx' as const, ...base, outputs: [], destinationChain: base.blockchainID, exportedOutputs: [] };
  expect(transferLayout(makeTx(exported, []).bytes)).toBeUndefined();
});
