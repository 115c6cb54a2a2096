import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { PendingTxs } from './chain.ts';

/** The text of pending transactions in a snapshot: JSON with their IDs in hex. Their bytes are apart, see `encodeTxs`. */
export const formatPendingTxs = ({ mempool, walletQueue }: PendingTxs): string =>
  JSON.stringify({ mempool: joinIds(mempool), walletQueue: joinIds(walletQueue) });

/** Snapshots of older versions have a list of transactions in base64 instead of the IDs. */
export function parsePendingTxs(text: string, find: (id: Id) => Tx | undefined): PendingTxs {
  const { mempool, walletQueue } = JSON.parse(text) as Record<keyof PendingTxs, string | string[]>;
  const read = (stored: string | string[]): Tx[] =>
    typeof stored === 'string'
      ? splitIds(stored).flatMap((id) => find(id) ?? [])
      : stored.map((one) => parseTx(Buffer.from(one, 'base64')));
  return { mempool: read(mempool), walletQueue: read(walletQueue) };
}

export const noPendingTxs: PendingTxs = { mempool: [], walletQueue: [] };

const idLength = 64;

const joinIds = (txs: readonly Tx[]): string => txs.map(({ id }) => id).join('');
const splitIds = (text: string): Id[] =>
  Array.from({ length: text.length / idLength }, (_, i) => text.slice(i * idLength, (i + 1) * idLength) as Id);

/** The bytes of transactions, each after its length in 4 bytes. */
export function encodeTxs(txs: readonly Tx[]): Uint8Array {
  return Buffer.concat(
    txs.flatMap(({ bytes }) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

export function* decodeTxs(encoded: Uint8Array): Generator<Tx> {
  const buffer = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length);
  for (let at = 0; at < buffer.length; ) {
    const end = at + 4 + buffer.readUInt32BE(at);
    // A copy: the transaction must not hold the bytes of all others.
    yield parseTx(new Uint8Array(buffer.subarray(at + 4, end)));
    at = end;
  }
}
