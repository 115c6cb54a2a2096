import type { Fact } from './facts.ts';

/**
 * What must be true of a node, whatever its disk did: what it has acknowledged stays, its events have no gap and no repetition, its index agrees
 * with its state. `Losses` says what else may happen.
 */
type DiskModel = {
  /** `fails`: whether reads and writes of files fail in this session. */
  readonly apply: (fact: Fact, fails: boolean) => void;
  /** What was not true. */
  readonly problems: () => readonly string[];
  readonly lastEventID: () => string | undefined;
  readonly accepted: () => readonly string[];
  /** Whether the node refuses to start for good. */
  readonly isOver: () => boolean;
};

type Losses = {
  /** A power cut may take the newest blocks: the disk lies about syncs, or the node does not wait for it. The node then continues from an earlier block. */
  readonly mayLose: boolean;
  /** The node may also say that blocks are lost, and not start: only if the disk lies. */
  readonly mayRefuse: boolean;
};

export function createDiskModel({ mayLose, mayRefuse }: Losses): DiskModel {
  const problems: string[] = [];
  /** Blocks by height that the node has acknowledged. */
  let blocks: string[] = [];
  /** Height of the last event about blocks; undefined until the stream begins. */
  let eventHeight: number | undefined;
  let lastEventID: string | undefined;
  let accepted = new Set<string>();
  /** Transactions by block, and the blocks up to each that was the last one: a snapshot may be of another branch. */
  const txsOf = new Map<string, readonly string[]>();
  const branches = new Map<string, readonly string[]>();
  /** Whether a revert was begun and not acknowledged: its blocks may be there or not. */
  let isReverting = false;
  let isOver = false;

  const problem = (text: string): void => void problems.push(text);
  const replaceBlocks = (next: readonly string[]): void => {
    const kept = new Set(next);
    for (const id of blocks) if (!kept.has(id)) for (const txID of txsOf.get(id) ?? []) accepted.delete(txID);
    blocks = [...next];
  };

  /** The chain after a start: all acknowledged blocks, and perhaps one more that was committed and not yet acknowledged. */
  const compareStart = (chain: readonly string[], statuses: { readonly [txID: string]: string }): void => {
    const shared = Math.min(chain.length, blocks.length);
    const differing = blocks.slice(0, shared).findIndex((id, height) => chain[height] !== id);
    // The disk may have lost a revert: the chain is then one that there was before.
    const wasThere = mayLose && branches.get(chain.at(-1) ?? '')?.join() === chain.join();
    if (differing >= 0 && !isReverting && !wasThere) problem(`block ${differing} is ${chain[differing]}, was ${blocks[differing]}`);
    if (chain.length < blocks.length && !mayLose && !isReverting) problem(`blocks ${chain.length} to ${blocks.length - 1} are lost`);
    const isLost = differing >= 0 || chain.length < blocks.length || (wasThere && chain.length > blocks.length);
    replaceBlocks(chain);
    branches.set(chain.at(-1) ?? '', [...chain]);
    for (const [txID, status] of Object.entries(statuses))
      if (status !== 'Accepted' && accepted.has(txID) && !(mayLose && isLost)) problem(`${txID} was accepted and is ${status}`);
    if (isLost && mayLose) {
      // What the disk has lost, blocks or a revert, is not to be found again, and the stream had events of it.
      accepted = new Set();
      eventHeight = undefined;
      lastEventID = undefined;
    }
    isReverting = false;
  };

  const applyEvent = ({ id, event, height = 0, blockID = '', txIDs = [] }: Extract<Fact, { kind: 'event' }>): void => {
    // After a disk has lost blocks, the stream does not know the last event of its reader.
    if (event === 'reset' && !mayLose) problem(`the stream began again at ${id}`);
    if (event === 'block') {
      if (eventHeight !== undefined && height !== eventHeight + 1) problem(`after block ${eventHeight} the stream has block ${height}`);
      eventHeight = height;
      txsOf.set(blockID, txIDs);
      if (height < blocks.length && blocks[height] !== blockID) problem(`the stream has another block ${height}: ${blockID}`);
      blocks[height] = blockID;
      branches.set(blockID, [...blocks]);
    }
    if (event === 'reverted') {
      const branch = branches.get(blockID);
      if (branch === undefined || branch.length !== height + 1)
        problem(`the stream reverts to ${blockID}, which was never block ${height}`);
      eventHeight = height;
      replaceBlocks(branch ?? blocks.slice(0, height + 1));
    }
    lastEventID = id;
  };

  const compareEnd = (chain: readonly string[]): void => {
    if (eventHeight !== undefined && eventHeight !== chain.length - 1)
      problem(`the last event is of block ${eventHeight}, the chain ends at ${chain.length - 1}`);
    if (chain.join() !== blocks.join()) problem('the chain at the end is not the one of the events');
  };

  return {
    apply: (fact, fails) => {
      if (fact.kind === 'started') compareStart(fact.chain, fact.statuses);
      if (fact.kind === 'event') applyEvent(fact);
      if (fact.kind === 'accepted') accepted.add(fact.txID);
      if (fact.kind === 'revert') isReverting = !fact.done;
      if (fact.kind === 'wrong') problem(fact.text);
      if (fact.kind === 'ended') compareEnd(fact.chain);
      if (fact.kind === 'checked' && fact.isDamaged) problem(`serac check: ${fact.lines.join('; ')}`);
      if (fact.kind === 'refused start' && !fails) {
        isOver = true;
        if (!mayRefuse) problem(`the node does not start: ${fact.text}`);
      }
    },
    problems: () => problems,
    lastEventID: () => lastEventID,
    accepted: () => [...accepted].slice(-20),
    isOver: () => isOver,
  };
}
