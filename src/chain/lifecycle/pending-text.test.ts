import { expect, test } from 'bun:test';
import { genesis, spend } from './memory-chain.fixture.ts';
import { formatPendingTxs, parsePendingTxs } from './pending-text.ts';

test('pending transactions are read as bytes, in their order: those of a full mempool are decoded in slices', () => {
  const txs = [0, 1, 2, 3].map((i) => spend([[genesis.id, i]]));
  const bytesOf = new Map(txs.map(({ id, bytes }) => [id, bytes]));
  const bytes = [...bytesOf.values()];
  const text = formatPendingTxs({ mempool: txs, walletQueue: bytes.slice(2) });
  expect(parsePendingTxs(text, (id) => bytesOf.get(id))).toEqual({ mempool: bytes, walletQueue: bytes.slice(2) });
  expect(parsePendingTxs(text, (id) => (id === txs[2]?.id ? undefined : bytesOf.get(id)))).toEqual({
    mempool: [0, 1, 3].map((i) => bytes[i] as Uint8Array),
    walletQueue: bytes.slice(3),
  });
});
