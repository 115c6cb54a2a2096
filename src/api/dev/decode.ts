import { blockJson, parseBlock } from '../../avm/tx/block.ts';
import { parseTx, txJson } from '../../avm/tx/tx.ts';
import { parseUtxo, utxoJson } from '../../avm/tx/utxo.ts';
import { HexError, parseHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import type { JsonContext } from '../../base/codec/codec.ts';
import { Fault } from '../../base/fault.ts';
import type { insightRows } from '../contract/dev-chain-methods.ts';
import type { JsonOf } from '../contract/views.ts';
import type { Rendered } from '../rpc/method.ts';
import { type RawJson, rawJson } from '../rpc/write-json.ts';
import { DevError } from './fault.ts';

/** Decodes the hex of a transaction, a block or a UTXO, with or without a checksum. Throws with the reason of each if it is none of them. */
export function decode(text: string, json: JsonContext): Decoded {
  const bytes = parseBytes(text.startsWith('0x') ? text : `0x${text}`);
  const reasons: { [kind: string]: string } = {};
  for (const { kind, parse } of decoders)
    try {
      return { kind, size: bytes.length, ...parse(bytes, json) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      reasons[kind] = error.message;
    }
  const { tx = '', block = '', utxo = '' } = reasons;
  throw new DevError(`the bytes are neither a transaction (${tx}), nor a block (${block}), nor a UTXO (${utxo}) of the X-Chain`, {
    code: 'DEV_NOT_DECODABLE',
    tx,
    block,
    utxo,
  });
}

type Decoded = Exclude<Rendered<JsonOf<(typeof insightRows)['decode']['result']>>, RawJson>;

const decoders: readonly {
  readonly kind: 'tx' | 'block' | 'utxo';
  readonly parse: (bytes: Uint8Array, json: JsonContext) => Omit<Decoded, 'kind' | 'size'>;
}[] = [
  {
    kind: 'tx',
    parse: (bytes, json) => {
      const tx = parseTx(bytes);
      return { id: idText(tx.id), type: tx.unsigned.kind, tx: rawJson(txJson(tx, json)) };
    },
  },
  {
    kind: 'block',
    parse: (bytes, json) => {
      const block = parseBlock(bytes);
      return { id: idText(block.id), block: rawJson(blockJson(block, json)) };
    },
  },
  {
    kind: 'utxo',
    parse: (bytes, json) => {
      const utxo = parseUtxo(bytes);
      return { id: idText(utxo.id), utxo: rawJson(utxoJson(utxo, json)) };
    },
  },
];

/** Removes the checksum if there is a valid one. */
function parseBytes(hex: string): Uint8Array {
  try {
    return parseHex('hex', hex);
  } catch (error) {
    if (error instanceof HexError && (error.fault.code === 'HEX_BAD_CHECKSUM' || error.fault.code === 'HEX_NO_CHECKSUM'))
      return parseHex('hexnc', hex);
    throw error;
  }
}
