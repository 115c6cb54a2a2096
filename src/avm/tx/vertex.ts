import { type Id, idOf } from '../../base/bytes/id.ts';
import type { TypeOf } from '../../base/codec/codec.ts';
import { codecVersion, pack, unpack } from '../../base/codec/pack.ts';
import { bytes as byteString, id, list, u32, u64 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { Fault } from '../../base/fault.ts';

/*
 * Vertices: what the X-Chain had before linearization instead of blocks. Each has several parents and whole signed transactions. The last one,
 * the stop vertex, has no transactions and a codec version of its own. AvalancheGo: snow/engine/avalanche/vertex.
 */

const StandardVertex = struct({ chainID: id, height: u64, epoch: u32, parentIDs: list(id), txs: list(byteString) });
const StopVertex = struct({ chainID: id, height: u64, parentIDs: list(id) });

const stopVersion = 1;

/** AvalancheGo: vertex/codec.go, maxSize; vertex/stateless_vertex.go, maxNumParents and maxTxsPerVtx. */
const limits = { bytes: 1024 * 1024, parents: 128, txs: 128 } as const;

export type Vertex = Omit<TypeOf<typeof StandardVertex>, 'epoch'> & {
  readonly id: Id;
  readonly bytes: Uint8Array;
  /** The IDs of its transactions, in their order. */
  readonly txIDs: readonly Id[];
  readonly isStop: boolean;
};

type VertexFault = { code: 'VERTEX_INVALID'; rule: string };
class VertexError extends Fault<VertexFault> {}

/** Decodes a vertex of a chain and checks what AvalancheGo checks. The transactions are views into `bytes`. */
export function parseVertex(bytes: Uint8Array, chainID: Id): Vertex {
  const isStop = bytes[0] === 0 && bytes[1] === stopVersion;
  const value = isStop
    ? { ...unpack(StopVertex, bytes, limits.bytes, stopVersion), epoch: 0, txs: [] }
    : unpack(StandardVertex, bytes, limits.bytes);
  const { epoch, ...vertex } = value;
  // The ID of a transaction is the hash of the bytes that a vertex holds.
  const txIDs = vertex.txs.map(idOf);
  const rules: readonly (readonly [holds: boolean, rule: string])[] = [
    [vertex.chainID === chainID, 'belongs to another chain'],
    [epoch === 0, 'invalid epoch'],
    [vertex.parentIDs.length <= limits.parents, `vertex contains more than ${limits.parents} parentIDs`],
    [isStop || txIDs.length > 0, 'vertex contains no operations'],
    [txIDs.length <= limits.txs, `vertex contains more than ${limits.txs} transactions`],
    [isSortedAndUnique(vertex.parentIDs), 'vertex contains non-sorted or duplicated parentIDs'],
    [isSortedAndUnique(txIDs), 'vertex contains non-sorted or duplicated transactions'],
  ];
  for (const [holds, rule] of rules) if (!holds) throw new VertexError(rule, { code: 'VERTEX_INVALID', rule });
  return { ...vertex, id: idOf(bytes), bytes, txIDs, isStop };
}

/** The bytes of a vertex with transactions, or of a stop vertex if there are none. */
export const packVertex = ({ chainID, height, parentIDs, txs }: Pick<Vertex, 'chainID' | 'height' | 'parentIDs' | 'txs'>): Uint8Array =>
  txs.length === 0
    ? pack(StopVertex, { chainID, height, parentIDs }, stopVersion)
    : pack(StandardVertex, { chainID, height, epoch: 0, parentIDs, txs }, codecVersion);

/** An ID is hex, whose order is that of the bytes. */
const isSortedAndUnique = (ids: readonly Id[]): boolean => ids.every((next, i) => i === 0 || (ids[i - 1] as Id) < next);
