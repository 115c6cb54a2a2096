import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { genesis, spend } from '../../chain/lifecycle/memory-chain.fixture.ts';
import { encodeTxs } from '../../chain/lifecycle/pending-text.ts';
import { createSavedPending } from './saved-pending.ts';

test('transactions of a snapshot are put back once: after a revert nothing of them is kept', async () => {
  const tx = spend([[genesis.id, 0]]);
  const restored: string[] = [];
  const chain = {
    spec: { id: '01'.repeat(32) as Id },
    revertible: {
      pending: () => ({ mempool: [tx], walletQueue: [] }),
      continueAfterRevert: () => {},
      restorePending: (txs: readonly { id: string }[]) => restored.push(...txs.map(({ id }) => id)),
      mempool: new Map(),
    },
  };
  const pending = createSavedPending([chain] as unknown as Parameters<typeof createSavedPending>[0], { publish: () => {} });
  const part = pending.parts[0] as Required<(typeof pending.parts)[number]>;
  const saved = part.save() ?? '';
  const pause = () => undefined;
  await pending.read([encodeTxs([tx.bytes])], pause);
  part.restore(saved);
  await pending.restore(pause);
  expect(restored).toEqual([tx.id]);
  pending.forget();
  await pending.restore(pause);
  expect(restored).toEqual([tx.id]);
});
