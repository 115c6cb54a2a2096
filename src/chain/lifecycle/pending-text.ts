import { parseTx } from '../../avm/tx/tx.ts';
import type { PendingTxs } from './chain.ts';

/** The text of pending transactions in a snapshot: JSON with their bytes in base64. */
export const formatPendingTxs = ({ mempool, walletQueue }: PendingTxs): string =>
  JSON.stringify({ mempool: mempool.map(({ bytes }) => toBase64(bytes)), walletQueue: walletQueue.map(toBase64) });

export function parsePendingTxs(text: string): PendingTxs {
  const { mempool, walletQueue } = JSON.parse(text) as Record<keyof PendingTxs, string[]>;
  return { mempool: mempool.map((tx) => parseTx(fromBase64(tx))), walletQueue: walletQueue.map(fromBase64) };
}

export const noPendingTxs: PendingTxs = { mempool: [], walletQueue: [] };

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));
