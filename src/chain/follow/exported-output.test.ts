import { describe, expect, test } from 'bun:test';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { type Id, idOf, zeroId } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { Writer } from '../../base/codec/writer.ts';
import { parseExportedOutputs } from './exported-output.ts';

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');
const x = idOf(Buffer.from('X'));
const c = idOf(Buffer.from('C'));
const asset = idOf(Buffer.from('asset'));
const owner = '11'.repeat(20);
const owners = `0000000000000000 00000001 00000001 ${owner}`;
const plainOutput = (amount: string) => `${asset} 00000007 ${amount} ${owners}`;
const credentials = `00000001 00000009 00000001 ${'ab'.repeat(65)}`;
const expectedUtxo = (txID: Id, index: number, amount: bigint) =>
  makeUtxo(txID, index, asset, {
    kind: 'secp256k1fx.TransferOutput',
    amount,
    locktime: 0n,
    threshold: 1,
    addresses: [owner as Parameters<typeof makeUtxo>[3]['addresses'][number]],
  });

/** The bytes of an ExportTx of the P-Chain, with outputs and inputs that are locked for staking and some that are not. */
const exportFromP = (destination: Id, type = '00000012') =>
  hex(`
    0000 ${type} 00003039 ${zeroId}
    00000002
      ${plainOutput('0000000000000005')}
      ${asset} 00000016 00000000ffffffff 00000007 0000000000000006 ${owners}
    00000002
      ${asset} 00000001 ${asset} 00000005 0000000000000014 00000001 00000000
      ${asset} 00000002 ${asset} 00000015 00000000ffffffff 00000005 0000000000000015 00000001 00000000
    00000003 616263
    ${destination}
    00000002 ${plainOutput('0000000000000007')} ${plainOutput('0000000000000008')}
    ${credentials}`);

const exportFromC = (destination: Id, type = '00000001') =>
  hex(`
    0000 ${type} 00003039 ${c} ${destination}
    00000001 ${'22'.repeat(20)} 000000000000000a ${asset} 0000000000000003
    00000002 ${plainOutput('0000000000000007')} ${plainOutput('0000000000000008')}
    ${credentials}`);

describe('P', () => {
  test('exported outputs are numbered after the outputs on the P-Chain', () => {
    const bytes = exportFromP(x);
    expect(parseExportedOutputs('P', bytes, { from: zeroId, to: x })).toEqual([
      expectedUtxo(idOf(bytes), 2, 7n),
      expectedUtxo(idOf(bytes), 3, 8n),
    ]);
  });

  test('an export to another chain gives an empty list; another type of transaction gives undefined', () => {
    expect(parseExportedOutputs('P', exportFromP(c), { from: zeroId, to: x })).toEqual([]);
    expect(parseExportedOutputs('P', exportFromP(x, '00000011'), { from: zeroId, to: x })).toBeUndefined();
  });
});

describe('C', () => {
  test('exported outputs are numbered from 0', () => {
    const bytes = exportFromC(x);
    expect(parseExportedOutputs('C', bytes, { from: c, to: x })).toEqual([
      expectedUtxo(idOf(bytes), 0, 7n),
      expectedUtxo(idOf(bytes), 1, 8n),
    ]);
  });

  test('an export to or from another chain gives an empty list; an import gives undefined', () => {
    expect(parseExportedOutputs('C', exportFromC(zeroId), { from: c, to: x })).toEqual([]);
    expect(parseExportedOutputs('C', exportFromC(x), { from: zeroId, to: x })).toEqual([]);
    expect(parseExportedOutputs('C', exportFromC(x, '00000000'), { from: c, to: x })).toBeUndefined();
  });
});

test('truncated bytes throw a CodecError, at any length', () => {
  for (const [chain, bytes, signed] of [
    ['P', exportFromP(x), 81],
    ['C', exportFromC(x), 81],
  ] as const)
    for (let end = 0; end < bytes.length - signed; end++) {
      let code = '';
      try {
        parseExportedOutputs(chain, bytes.subarray(0, end), { from: chain === 'P' ? zeroId : c, to: x });
      } catch (error) {
        code = (error as { fault: { code: string } }).fault.code;
      }
      expect(code).toMatch(/^CODEC_/);
    }
});

test('a huge element count with few bytes is rejected', () => {
  const writer = new Writer();
  writer.u32(0x7fffffff);
  const bytes = concat([exportFromC(x).subarray(0, 2 + 4 + 4 + 32 + 32), writer.finish()]);
  expect(() => parseExportedOutputs('C', bytes, { from: c, to: x })).toThrow();
});
