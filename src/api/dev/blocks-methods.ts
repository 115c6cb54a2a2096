import type { Tx } from '../../avm/tx/tx.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Chain } from '../../chain/lifecycle/chain.ts';
import type { BlockPolicy, SoloEngine } from '../../chain/solo/solo.ts';
import { blocksRows } from '../contract/dev-chain-methods.ts';
import { badArgument } from '../rpc/fault.ts';
import { implement } from '../rpc/method.ts';
import { requireParam } from '../rpc/text-params.ts';
import { DevError } from './fault.ts';

type BlocksDeps = {
  readonly chain: Pick<Chain, 'issue' | 'mempool' | 'dropTx' | 'lastAccepted' | 'block'>;
  readonly engine: Pick<SoloEngine, 'mine' | 'policy'>;
  /** Sets when blocks are built, for all chains of the node. */
  readonly setPolicy: (policy: BlockPolicy) => void;
  /** Builds the transaction for a block that would be empty. */
  readonly createFiller: () => Tx;
  /** Advances the chain's clock. */
  readonly advanceTime: (seconds: bigint) => void;
  readonly longWork: LongWork;
  /** Tells the reader processes the time. Resolves when they know it. */
  readonly informReaders: () => Promise<void>;
};

/** The most blocks of one call, the most transactions in `getMempool`, and the longest interval in seconds. */
const limits = { blocks: 1000n, listedTxs: 1024, interval: 86_400n } as const;

/** Methods that build blocks and show the mempool of the X-Chain. */
export const blocksMethods = implement<BlocksDeps>()(blocksRows, {
  mine: {
    run: (deps, { blocks, interval = 0n }) => mine(deps, readBlocks(blocks), interval),
    needsWriter: true,
  },
  setAutomine: {
    run: async ({ engine, setPolicy }, { enabled }) => {
      setPolicy({ ...engine.policy(), automine: enabled });
      return formatPolicy(engine.policy());
    },
    needsWriter: true,
  },
  setIntervalMining: {
    run: async ({ engine, setPolicy }, { seconds }) => {
      const every = requireParam('seconds', 'duration', seconds);
      if (every > limits.interval)
        throw new DevError(`the interval is longer than ${limits.interval} seconds`, {
          code: 'DEV_LIMIT',
          what: 'seconds',
          max: Number(limits.interval),
        });
      setPolicy({ ...engine.policy(), interval: Number(every) * 1000 });
      return formatPolicy(engine.policy());
    },
    needsWriter: true,
  },
  getMempool: {
    run: async ({ chain }) => listMempool(chain),
    needsWriter: true,
  },
  dropTx: {
    run: async ({ chain }, { txID }) => {
      if (!chain.dropTx(txID))
        throw new DevError(`the transaction ${idText(txID)} is not in the mempool`, { code: 'DEV_NOT_PENDING', txID: idText(txID) });
      return { txID: idText(txID) };
    },
    needsWriter: true,
  },
});

/** The number of blocks to mine: 1 if none is given. */
function readBlocks(text: string): bigint {
  if (text === '') return 1n;
  if (/^\d{1,20}$/.test(text)) return BigInt(text);
  throw badArgument('blocks', 'uint64');
}

/** `interval`: seconds by which the clock is advanced between two blocks. No block is made if `blocks` is 0. */
async function mine(deps: BlocksDeps, blocks: bigint, interval: bigint) {
  if (blocks > limits.blocks)
    throw new DevError(`${blocks} blocks are more than ${limits.blocks}; call dev.mine several times`, {
      code: 'DEV_TOO_MANY_BLOCKS',
      blocks: String(blocks),
      max: Number(limits.blocks),
    });
  const pause = deps.longWork.begin();
  let last: EngineBlock | undefined;
  let hasFiller = false;
  for (let left = blocks; left > 0n; left--) {
    await pause();
    if (last !== undefined && interval > 0n) deps.advanceTime(interval);
    const { block, isFiller } = mineOne(deps);
    last = block;
    hasFiller ||= isFiller;
  }
  await deps.informReaders();
  const { height, time } = last ?? (deps.chain.block(deps.chain.lastAccepted()) as EngineBlock);
  return { height: String(height), time: String(time), filler: hasFiller };
}

type MinedBlock = { readonly block: EngineBlock; readonly isFiller: boolean };

/** Mines the waiting transactions, or a filler if no valid one waits. */
function mineOne({ chain, engine, createFiller }: BlocksDeps): MinedBlock {
  const block = chain.mempool.size().txs > 0 ? engine.mine() : undefined;
  if (block !== undefined) return { block, isFiller: false };
  chain.issue(createFiller());
  const filler = engine.mine();
  if (filler === undefined) throw new DevError('no block was built: the filler transaction was dropped', { code: 'DEV_NOT_MINED' });
  return { block: filler, isFiller: true };
}

function listMempool({ mempool }: Pick<Chain, 'mempool'>) {
  const txs: { txID: string; type: string; bytes: number }[] = [];
  for (const { id, unsigned, bytes } of mempool.all()) {
    if (txs.length >= limits.listedTxs) break;
    txs.push({ txID: formatTxID(id), type: unsigned.kind, bytes: bytes.length });
  }
  return { txs, total: mempool.size().txs };
}

const formatTxID = (id: Id): string => idText(id);

/** `interval` in seconds; 0: no blocks by time. */
export const formatPolicy = ({ automine, interval }: BlockPolicy): { readonly automine: boolean; readonly interval: number } => ({
  automine,
  interval: interval / 1000,
});
