import { type Id, idOf, zeroId } from '../../base/bytes/id.ts';
import type { Codec, JsonContext, TypeOf } from '../../base/codec/codec.ts';
import { pack, unpack } from '../../base/codec/pack.ts';
import { id, list, u64 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { bytesInBlock, readTxInBlock, type Tx, txJson } from './tx.ts';
import { goInterface } from './type-ids.ts';

/** A transaction inside a block has the same bytes without the codec version. */
const TxInBlock: Codec<Tx> = { read: readTxInBlock, write: (w, tx) => w.fixed(bytesInBlock(tx)), json: txJson };

const StandardBlock = struct({ parentID: id, height: u64, time: u64, merkleRoot: id, txs: list(TxInBlock) });

const AnyBlock = goInterface('block.Block', { StandardBlock });

export type Block = TypeOf<typeof StandardBlock> & { readonly id: Id; readonly bytes: Uint8Array };

export function parseBlock(bytes: Uint8Array): Block {
  return { ...unpack(AnyBlock, bytes), id: idOf(bytes), bytes };
}

export function makeBlock(parts: { parentID: Id; height: bigint; time: bigint; txs: Tx[] }): Block {
  const value = { kind: 'StandardBlock' as const, merkleRoot: zeroId, ...parts };
  const bytes = pack(AnyBlock, value);
  return { ...value, id: idOf(bytes), bytes };
}

/** Bytes before the first transaction: version, type, parent, height, time, merkle root and the number of transactions. */
export const blockHeaderSize = 90;

/** `emptyTxs`: how an empty list of transactions is written; only block 0 has one. */
export const blockJson = (block: Block, context: JsonContext, emptyTxs: '[]' | 'null' = '[]'): string => {
  const fields = StandardBlock.json(block, context).slice(0, -1);
  const withTxs = block.txs.length === 0 ? fields.slice(0, -2) + emptyTxs : fields;
  return `${withTxs},"id":"${context.id(block.id)}"}`;
};
