import { consumedIds } from '../../avm/tx/effects.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import { parseHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { messageOf } from '../../base/fault.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Chain } from '../../chain/lifecycle/chain.ts';
import type { Ledger } from '../../chain/lifecycle/ledger.ts';
import type { SoloEngine } from '../../chain/solo/solo.ts';
import { maxReorg, reorgRows } from '../contract/dev-chain-methods.ts';
import { badArgument } from '../rpc/fault.ts';
import { implement } from '../rpc/method.ts';
import { DevError } from './fault.ts';

type ReorgDeps = {
  readonly chain: Pick<Chain, 'fetchAndRecover' | 'issue' | 'pending'>;
  readonly engine: Pick<SoloEngine, 'mine'>;
  readonly ledger: Pick<Ledger, 'lastAccepted' | 'blockIdAt'>;
  readonly txsOfBlock: (id: Id) => readonly Tx[];
  /**
   * Goes back to the state after an earlier block, with an empty mempool. `beforeRevert` is called in the turn of the event loop that reverts, so what it
   * reads cannot change before; if it throws, nothing is reverted.
   */
  readonly revertToBlock: (height: number, beforeRevert: () => void) => Promise<void>;
  /**
   * Builds the transaction of a block that would be empty. The memo makes it another one than that of a replaced block. It spends none of
   * the `avoided` outputs if there is another one.
   */
  readonly createFiller: (memo: string, avoided: ReadonlySet<Id>) => Tx;
  /** Puts transactions into the mempool; they are verified when a block is built. Returns how many are in it. */
  readonly returnToMempool: (txs: readonly Tx[]) => number;
  readonly longWork: LongWork;
  /** Tells the reader processes the chain's clock. Resolves when they know it. */
  readonly informReaders: () => Promise<void>;
};

type Refused = { readonly txID: string; readonly reason: string };

/** `dev.reorg`: replaces the last blocks by as many others. The transactions of the replaced blocks are dropped unless the caller wants them back. */
export const reorgMethods = implement<ReorgDeps>()(reorgRows, {
  reorg: {
    run: async (deps, { depth, blocks = [], returnTxs = false }) => {
      const { height, id: oldTip } = deps.ledger.lastAccepted();
      const count = checkDepth(depth, height);
      if (blocks.length > count) throw badArgument('blocks', `list of at most ${count} blocks, one for each that is replaced`);
      const given = blocks.map((txs) => txs.map((text) => parseTx(parseHex('hex', text))));
      const target = Number(height) - count;
      const removed = listBlocks(deps.ledger, target + 1, Number(height));
      const returnedTxs = returnTxs ? removed.flatMap(({ id }) => deps.txsOfBlock(id)) : [];
      let mempool: readonly Tx[] = [];
      await deps.revertToBlock(target, () => {
        const tip = deps.ledger.lastAccepted();
        if (tip.id !== oldTip) throw tipChanged(tip.height);
        mempool = deps.chain.pending().mempool;
      });
      const all = [...given.flat(), ...returnedTxs, ...mempool];
      const avoided = new Set(all.flatMap(consumedIds));
      const refused: Refused[] = [];
      const pause = deps.longWork.begin();
      let last: EngineBlock | undefined;
      let returned = 0;
      try {
        for (const tx of all) {
          await pause();
          // On a fork of a live network, the revert has also undone the copies of the inputs of this transaction. If fetching them again fails, the
          // transaction is verified without them, and refused: an error here would end the reorg with a shorter chain.
          await deps.chain.fetchAndRecover(tx)?.catch(() => undefined);
        }
        for (let i = 0; i < count; i++) {
          await pause();
          last = buildBlock(deps, given[i] ?? [], () => deps.createFiller(`reorg of ${idText(oldTip)}`, avoided), refused);
        }
      } finally {
        // Also if a block could not be built: the chain is shorter then, but no transaction is lost.
        returned = deps.returnToMempool(returnedTxs);
        deps.returnToMempool(mempool);
        await deps.informReaders();
      }
      const { height: newHeight, time } = last as EngineBlock;
      const added = listBlocks(deps.ledger, target + 1, target + count);
      return {
        height: String(newHeight),
        time: String(time),
        removed: removed.map(formatBlock),
        added: added.map(formatBlock),
        refused,
        returned,
      };
    },
    needsWriter: true,
  },
});

function checkDepth(depth: number, height: bigint): number {
  if (depth >= 1 && depth <= maxReorg && BigInt(depth) <= height) return depth;
  throw new DevError(`a reorg replaces 1 to ${height < maxReorg ? height : maxReorg} of the last blocks, not ${depth}`, {
    code: 'DEV_BAD_DEPTH',
    depth,
    max: Number(height < maxReorg ? height : maxReorg),
  });
}

/** Builds a block of the given transactions, or of a filler if none of them is valid. */
function buildBlock({ chain, engine }: ReorgDeps, txs: readonly Tx[], createFiller: () => Tx, refused: Refused[]): EngineBlock {
  for (const tx of txs)
    try {
      chain.issue(tx);
    } catch (error) {
      refused.push({ txID: idText(tx.id), reason: messageOf(error) });
    }
  const block = engine.mine();
  if (block !== undefined) return block;
  chain.issue(createFiller());
  const filler = engine.mine();
  if (filler === undefined) throw new DevError('no block was built: the filler transaction was dropped', { code: 'DEV_NOT_MINED' });
  return filler;
}

const tipChanged = (height: bigint) =>
  new DevError(`the last block changed before the reorg began and is now at height ${height}; nothing was reverted, send the call again`, {
    code: 'DEV_TIP_CHANGED',
    height: String(height),
  });

type NumberedBlock = { readonly height: number; readonly id: Id };

const listBlocks = ({ blockIdAt }: ReorgDeps['ledger'], from: number, to: number): NumberedBlock[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ height: from + i, id: blockIdAt(BigInt(from + i)) as Id }));

const formatBlock = ({ height, id }: NumberedBlock) => ({ height: String(height), blockID: idText(id) });
