import { deepStrictEqual, ok } from 'node:assert';
import { blockJson, makeBlock, parseBlock } from '../../src/avm/tx/block.ts';
import { consumedIds, effectsOf } from '../../src/avm/tx/effects.ts';
import { makeTx, parseTx, type Tx, txJson } from '../../src/avm/tx/tx.ts';
import { consumedRefs, credentialOf, txLayout } from '../../src/avm/tx/tx-layout.ts';
import { makeUtxo, parseUtxo, utxoIdBytes, utxoJson } from '../../src/avm/tx/utxo.ts';
import { packVertex, parseVertex } from '../../src/avm/tx/vertex.ts';
import { TxError } from '../../src/avm/verify/fault.ts';
import { verifySyntax } from '../../src/avm/verify/syntax.ts';
import { createAddressFormatter } from '../../src/base/bytes/address.ts';
import { fromHex, toHex } from '../../src/base/bytes/hex.ts';
import { idText, parseId, zeroId } from '../../src/base/bytes/id.ts';
import type { JsonContext } from '../../src/base/codec/codec.ts';
import { CodecError } from '../../src/base/codec/fault.ts';
import { Fault } from '../../src/base/fault.ts';
import { makeSignedBlock, makeUnsignedBlock, parseOuterBlock, splitOuterBlock } from '../../src/network/proposervm/outer-block.ts';
import dag from '../../vectors/dag.json' with { type: 'json' };
import outerChain from '../../vectors/outer-chain.json' with { type: 'json' };
import signedChain from '../../vectors/signed-chain.json' with { type: 'json' };
import vectors from '../../vectors/vectors.json' with { type: 'json' };
import { localChainParams } from '../wallet-kit.ts';
import { type FuzzTarget, orRefused } from './target.ts';

/*
 * Wire types: bytes are refused with a CodecError, or encode to the same bytes again; what is derived from them (JSON, layout, effects) agrees.
 */

const raw = (hex: string): Uint8Array => fromHex(hex.replace(/^0x/, ''));
const small = (samples: readonly Uint8Array[], max = 4000): Uint8Array[] => samples.filter(({ length }) => length < max);
const context: JsonContext = { address: createAddressFormatter('X', 'local'), id: idText };
const equalBytes = (a: Uint8Array, b: Uint8Array): void => ok(Buffer.from(a).equals(b), `encodes to ${toHex(a)}`);

/** AvalancheGo writes amounts as bare digits, which JSON.parse rounds: here only the form counts. */
const isJson = (text: string): void => void JSON.parse(text);

function checkTx(tx: Tx): void {
  const again = makeTx(tx.unsigned, tx.credentials);
  equalBytes(again.bytes, tx.bytes);
  deepStrictEqual([again.id, again.unsignedSize], [tx.id, tx.unsignedSize]);
  isJson(txJson(tx, context));
  effectsOf(tx);
  const layout = txLayout(tx.bytes);
  deepStrictEqual(
    [layout.kind, layout.unsignedSize, layout.credentials.length],
    [tx.unsigned.kind, tx.unsignedSize, tx.credentials.length],
  );
  const refs = consumedRefs(layout);
  const view = new DataView(tx.bytes.buffer, tx.bytes.byteOffset, tx.bytes.length);
  deepStrictEqual(
    refs.map((at) => toHex(utxoIdBytes(tx.bytes, at, view.getUint32(at + 32)))),
    consumedIds(tx),
  );
  for (const ref of refs.keys()) ok(credentialOf(layout, ref).slot >= 0);
  orRefused([TxError], () => verifySyntax(tx, rules));
}

const rules = { ...localChainParams, chainID: localChainParams.blockchainID };
const dagChain = parseId(dag.blockchainID);
const outerBlocks = [...outerChain.blocks, ...signedChain.blocks].map(raw);

export const codecTargets: readonly FuzzTarget[] = [
  {
    name: 'transaction',
    seeds: () => vectors.txs.map((tx) => raw(tx.signedHexNC)),
    open: () => ({
      run: (input) => {
        const tx = orRefused([CodecError], () => parseTx(input));
        if (tx !== undefined) checkTx(tx);
      },
    }),
  },
  {
    name: 'block',
    seeds: () => small(vectors.blocks.map((block) => raw(block.hexNC))),
    open: () => ({
      run: (input) => {
        const block = orRefused([CodecError], () => parseBlock(input));
        if (block === undefined) return;
        // makeBlock always writes a zero merkle root.
        if (block.merkleRoot === zeroId) equalBytes(makeBlock(block).bytes, input);
        isJson(blockJson(block, context));
        for (const tx of block.txs) checkTx(tx);
      },
    }),
  },
  {
    name: 'utxo',
    seeds: () => vectors.utxos.map((utxo) => raw(utxo.hexNC)),
    open: () => ({
      run: (input) => {
        const utxo = orRefused([CodecError], () => parseUtxo(input));
        if (utxo === undefined) return;
        equalBytes(makeUtxo(utxo.txID, utxo.outputIndex, utxo.assetID, utxo.output).bytes, input);
        isJson(utxoJson(utxo, context));
      },
    }),
  },
  {
    name: 'vertex',
    seeds: () => small(dag.vertices.map(raw)).slice(0, 12),
    open: () => ({
      run: (input) => {
        const vertex = orRefused([Fault], () => parseVertex(input, dagChain));
        if (vertex !== undefined) equalBytes(packVertex(vertex), input);
      },
    }),
  },
  {
    name: 'outer-block',
    seeds: () => small(outerBlocks).filter((_, i) => i % 4 === 0),
    open: () => ({
      run: (input) => {
        const block = orRefused([CodecError], () => parseOuterBlock(input));
        if (block === undefined) return;
        const isSigned = block.certificate.length > 0;
        if (isSigned) equalBytes(makeSignedBlock(block, zeroId, block.certificate, () => block.signature).bytes, input);
        else if (block.signature.length === 0) equalBytes(makeUnsignedBlock(block).bytes, input);
        const { before, after } = splitOuterBlock(block);
        equalBytes(Buffer.concat([before, block.inner, after]), input);
        orRefused([CodecError], () => parseBlock(block.inner));
      },
    }),
  },
];
