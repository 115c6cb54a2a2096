import { expect, test } from 'bun:test';
import type { Tx } from '../src/avm/tx/tx.ts';
import { idText } from '../src/base/bytes/id.ts';
import { devModes, startDevNode } from './dev-node.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** `avm.getTxStatus` of a transaction that was refused, from every process. */

const wallet = createWallet('status', { keys: [ewoq], count: 2 });
const pay = (key: Key): Tx =>
  signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(localChainParams.feeAsset, 1_000_000_000n, ownedBy([key]))]));
const [winner, loser] = wallet.keys.slice(1).map(pay) as [Tx, Tx];

// With --strict there is no health check that says when a reader process serves.
for (const [mode, flags] of [...devModes.map((mode) => [mode, []] as const), ['in memory', ['--strict']] as const])
  test(`a conflict in the mempool, ${mode} ${flags}`, async () => {
    const node = await startDevNode(mode, '--no-mining', ...flags);
    try {
      const reports = async (tx: Tx) =>
        (await node.everywhere('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) })).map(({ result }) => result);
      const isStrict = flags.length > 0;
      const reason = `tx conflicts with other tx: ${idText(loser.id)}`;
      const refusal = isStrict ? {} : { reason, code: 'MEMPOOL_CONFLICT' };
      expect(await reports(loser)).toEqual([{ status: 'Unknown' }]);
      expect((await node.issue(winner)).error).toBeUndefined();
      expect((await node.issue(loser)).error?.message).toBe(reason);
      expect(await reports(winner)).toEqual([{ status: isStrict ? 'Unknown' : 'Processing' }]);
      expect(await reports(loser)).toEqual([{ status: 'Unknown', ...refusal }]);
      await node.dev('dev.mine');
      await node.untilAccepted(winner);
      expect(await reports(loser)).toEqual([{ status: isStrict ? 'Unknown' : 'Rejected', ...refusal }]);
      // Issued again it has another reason; AvalancheGo repeats the first one.
      const again = (await node.issue(loser)).error?.message;
      expect(again).toContain(isStrict ? reason : 'not found');
      expect(await reports(loser)).toEqual([
        isStrict ? { status: 'Unknown' } : { status: 'Rejected', reason: again, code: 'TX_UTXO_NOT_FOUND' },
      ]);
    } finally {
      await node.stop();
    }
  });
