import { type Id, idOf } from '../../base/bytes/id.ts';
import type { PendingTxs } from './chain.ts';

export const noPendingTxs: PendingTxs = { mempool: [], walletQueue: [] };

/** The text of pending transactions in a snapshot: JSON with their IDs in hex. Their bytes are apart, see `encodeTxs`. */
export const formatPendingTxs = ({ mempool, walletQueue }: PendingTxs): string =>
  JSON.stringify({ mempool: mempool.map(({ id }) => id).join(''), walletQueue: walletQueue.map((bytes) => idOf(bytes)).join('') });

/** Returns the bytes of the transactions: decoding those of a full mempool takes seconds. Those that `find` does not have are left out. */
export function parsePendingTxs(text: string, find: (id: Id) => Uint8Array | undefined): Record<keyof PendingTxs, readonly Uint8Array[]> {
  const { mempool, walletQueue } = JSON.parse(text) as Record<keyof PendingTxs, string>;
  const read = (ids: string): Uint8Array[] => splitIds(ids).flatMap((id) => find(id) ?? []);
  return { mempool: read(mempool), walletQueue: read(walletQueue) };
}

const idLength = 64;

const splitIds = (text: string): Id[] =>
  Array.from({ length: text.length / idLength }, (_, i) => text.slice(i * idLength, (i + 1) * idLength) as Id);

/** The bytes of transactions, each after its length in 4 bytes. */
export function encodeTxs(txs: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    txs.flatMap((bytes) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

export function* decodeTxs(encoded: Uint8Array): Generator<Uint8Array> {
  const buffer = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length);
  for (let at = 0; at < buffer.length; ) {
    const end = at + 4 + buffer.readUInt32BE(at);
    // A copy: a transaction must not hold the bytes of all others.
    yield new Uint8Array(buffer.subarray(at + 4, end));
    at = end;
  }
}
