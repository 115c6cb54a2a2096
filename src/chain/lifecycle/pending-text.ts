import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import type { PendingTxs } from './chain.ts';

/** The text of pending transactions in a snapshot: JSON with their bytes in base64. */
export const formatPendingTxs = ({ mempool, walletQueue }: PendingTxs): string =>
  JSON.stringify({ mempool: mempool.map(toBase64), walletQueue: walletQueue.map(toBase64) });

export function parsePendingTxs(text: string): PendingTxs {
  const { mempool, walletQueue } = JSON.parse(text) as Record<keyof PendingTxs, string[]>;
  return { mempool: mempool.map(fromBase64), walletQueue: walletQueue.map(fromBase64) };
}

export const noPendingTxs: PendingTxs = { mempool: [], walletQueue: [] };

const toBase64 = ({ bytes }: Tx): string => Buffer.from(bytes).toString('base64');
const fromBase64 = (text: string): Tx => parseTx(Buffer.from(text, 'base64'));
