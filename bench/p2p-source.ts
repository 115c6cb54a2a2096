import { mkdirSync } from 'node:fs';
import { makeBlock } from '../src/avm/tx/block.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import type { Id } from '../src/base/bytes/id.ts';
import type { NewBlock } from '../src/ledger/state/block-change.ts';
import { createDiff } from '../src/ledger/state/diff.ts';
import { openOuterStore } from '../src/network/outer-chain/outer-store.ts';
import { makeUnsignedBlock, type OuterBlock } from '../src/network/proposervm/outer-block.ts';
import { childEpoch } from '../src/network/proposervm/verify-child.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, ownedBy, signDraft, transfer } from '../test/wallet-kit.ts';
import { openChainStore } from './chain-store.ts';
import { BenchError } from './fault.ts';

/**
 * Writes a data directory for `serac join` with a chain of valid, signed blocks of one transaction each, in the outer blocks of a local
 * network without sybil protection. AvalancheGo bootstraps from it like from any other node, and verifies every block.
 */
export async function generateSourceChain(dir: string, blocks: number, signal: AbortSignal): Promise<void> {
  mkdirSync(dir, { recursive: true });
  const { state, ledger, store, close } = openChainStore(dir, 'write', { skipDiskSync: true });
  try {
    const outerStore = openOuterStore(store, state.id, state.blockAt);
    const wallet = createWallet('source', { count: 2, keys: [ewoq] });
    const payment = transfer(wallet.chainParams.feeAsset, 1n, ownedBy([wallet.keys[1] as Key]));
    const first = state.lastAccepted();
    const start = BigInt(Math.floor(Date.now() / 1000)) - chainSeconds;
    let parent: Pick<NewBlock['block'], 'id' | 'height'> = first;
    let outer: Pick<OuterBlock, 'id' | 'timestamp' | 'pChainHeight' | 'epoch'> | undefined;
    let change: Utxo = ewoqGenesisUtxo;
    for (let made = 0; made < blocks; ) {
      const batch: NewBlock[] = [];
      const wrapped: OuterBlock[] = [];
      // A diff per block, each on the one before.
      for (let view = createDiff(ledger); batch.length < batchSize && made < blocks; made++, view = createDiff(view)) {
        const tx = signDraft(baseTx(wallet, { utxos: [change] }, [payment]));
        const effects = effectsOf(tx);
        const time = start + (chainSeconds * BigInt(made)) / BigInt(blocks);
        const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time, txs: [tx] });
        view.apply(tx, effects);
        const outerBlock = wrap(outer, first.id, block.bytes, time);
        batch.push({ block, diff: view });
        wrapped.push(outerBlock);
        change = effects.created.find(({ output }) => output.addresses[0] === ewoq.address) as Utxo;
        [parent, outer] = [block, outerBlock];
      }
      const base = batch[0]?.block.height ?? 0n;
      ledger.accept(batch, () => outerStore.insert(wrapped.map((outer, i) => ({ outer, height: base + BigInt(i) }))));
      // Lets the event loop handle signals.
      await Bun.sleep(0);
      if (signal.aborted) throw new BenchError('stopped');
    }
  } finally {
    close();
  }
}

function wrap(
  parent: Pick<OuterBlock, 'id' | 'timestamp' | 'pChainHeight' | 'epoch'> | undefined,
  firstID: Id,
  inner: Uint8Array,
  timestamp: bigint,
): OuterBlock {
  const epoch = parent && childEpoch(parent, timestamp, localEpochs);
  return makeUnsignedBlock({ parentID: parent?.id ?? firstID, timestamp, pChainHeight: 0n, epoch, inner });
}

/** The rules of the local network. */
const localEpochs = { graniteTime: 0n, epochSeconds: 30n };
/** The chain has lasted a day and ends now. */
const chainSeconds = 86_400n;
const batchSize = 500;
