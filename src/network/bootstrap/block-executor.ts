import type { EngineBlock, Vm } from '../../avm/vm.ts';
import { messageOf } from '../../base/fault.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { Timers } from '../../base/timing/timers.ts';
import { BootstrapError, noBlocks } from './fault.ts';

/**
 * Blocks that are accepted in one commit, and their bytes. More blocks write fewer pages each, but keep the process busy for longer: 512 blocks
 * of one transaction take 0.2 s.
 */
const batchLimits = { blocks: 512, bytes: 2 * 1024 * 1024 } as const;

/** Executes blocks, lowest first: the next batch is preverified while one is verified and accepted. Other work of the process runs between batches. */
export async function executeBlocks(
  blocks: readonly EngineBlock[],
  vm: Pick<Vm, 'preverify' | 'verify' | 'accept'>,
  timers: Timers,
  onExecuted: (count: number) => void,
  isStopped: () => boolean,
): Promise<void> {
  const batches = splitBatches(blocks);
  let preverified = preverifyBatch(batches[0] ?? [], vm);
  for (const [index, batch] of batches.entries()) {
    await preverified;
    if (isStopped()) return;
    preverified = preverifyBatch(batches[index + 1] ?? [], vm);
    // The last one is awaited only in the next turn of the loop.
    preverified.catch(() => {});
    await acceptBatch(batch, vm);
    onExecuted(batch.length);
    await sleep(timers, 0);
  }
}

async function preverifyBatch(batch: readonly EngineBlock[], vm: Pick<Vm, 'preverify'>): Promise<void> {
  try {
    await Promise.all(batch.map((block) => vm.preverify(block)));
  } catch (error) {
    throw noBlocks(`cannot load what verification needs (${messageOf(error)})`);
  }
}

async function acceptBatch(batch: readonly EngineBlock[], vm: Pick<Vm, 'verify' | 'accept'>): Promise<void> {
  const verified: EngineBlock[] = [];
  let failure: BootstrapError | undefined;
  for (const block of batch) {
    try {
      vm.verify(block);
      verified.push(block);
    } catch (error) {
      failure = invalidBlock(block, error);
      break;
    }
  }
  if (verified.length > 0) await vm.accept(verified.map(({ id }) => id));
  if (failure !== undefined) throw failure;
}

function splitBatches(blocks: readonly EngineBlock[]): EngineBlock[][] {
  const batches: EngineBlock[][] = [];
  let bytes = 0;
  for (const block of blocks) {
    const batch = batches.at(-1);
    bytes += block.bytes.length;
    if (batch !== undefined && batch.length < batchLimits.blocks && bytes <= batchLimits.bytes) batch.push(block);
    else {
      batches.push([block]);
      bytes = block.bytes.length;
    }
  }
  return batches;
}

const invalidBlock = ({ id, height }: EngineBlock, error: unknown) =>
  new BootstrapError(
    `block ${id} at height ${height} is accepted by most beacons but invalid here: ${messageOf(error)}; ` +
      'the beacons belong to another network, or this node has another version or a damaged database (see serac check)',
    { code: 'BOOTSTRAP_INVALID_BLOCK', id, height },
  );
