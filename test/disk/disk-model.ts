import type { Fact, SessionOrder } from './facts.ts';

/**
 * What must be true of a node, whatever its disk did: what it has acknowledged stays, its events have no gap and no repetition, its index agrees
 * with its state. `Store` says what else may happen.
 */
type DiskModel = {
  readonly apply: (fact: Fact, failures: Failures) => void;
  readonly endSession: (isPowerCut: boolean) => void;
  /** What was not true. */
  readonly problems: () => readonly string[];
  readonly lastEventID: () => string | undefined;
  readonly accepted: () => readonly string[];
  /** Whether the node refuses to start for good. */
  readonly isOver: () => boolean;
};

/** What fails in a session. */
type Failures = {
  /** Reads or writes of files. */
  readonly fails: boolean;
  /** Reads of SQLite. It reports a page that the disk does not read (`EIO`) as damage of the file (`SQLITE_CORRUPT`). */
  readonly failsReads: boolean;
};

type Store = {
  /** Whether what was synced is on the disk. If not, a power cut may take anything, and the node may say that blocks are lost, and not start. */
  readonly isHonest: boolean;
  /** With `checkpoint` a power cut may take the blocks since the last checkpoint. The node then continues from an earlier block. */
  readonly durability: SessionOrder['durability'];
};

/**
 * Errors that say that the disk fails, and nothing about what is on it. `serac compact` cannot tell a log that the disk keeps from one that another process
 * uses (STORE_IN_USE).
 */
const diskFailure = /^(STORE_FAILED|STORE_FULL|STORE_IN_USE|IDENTITY_FILE_REFUSED|EIO|ENOSPC|SQLITE_IOERR.*|SQLITE_FULL)$/;

/** Blocks that an operation adds at most: those that are committed may not be acknowledged. */
const maxUnacknowledged = 14;

/** Whether something was refused because the disk fails. */
const isExcused = ({ code = '', cause }: Extract<Fact, { kind: 'refused start' | 'refused command' }>, { fails, failsReads }: Failures) =>
  fails && (diskFailure.test(code) || (failsReads && (cause ?? code) === 'SQLITE_CORRUPT'));

export function createDiskModel({ isHonest, durability }: Store): DiskModel {
  const problems: string[] = [];
  /** Blocks by height that the node has acknowledged. */
  let blocks: string[] = [];
  /** The number of blocks that are on the disk for certain. */
  let synced = 0;
  /** Height of the last event about blocks; undefined until the stream begins. */
  let eventHeight: number | undefined;
  let lastEventID: string | undefined;
  let accepted = new Set<string>();
  /** Transactions by block, and the blocks up to each that was the last one: a snapshot may be of another branch. */
  const txsOf = new Map<string, readonly string[]>();
  const branches = new Map<string, readonly string[]>();
  /** A revert that was begun and not acknowledged: the chain may be the one before it or the one after it, which ends at this height. */
  let reverting: { readonly height: number; isRefused: boolean } | undefined;
  /** Whether the power was cut since the last start, and whether it ever was. */
  let [isCut, wasCut] = [false, false];
  /** The number of blocks of a new chain. */
  let createdLength: number | undefined;
  /** Whether the last start may have lost the events that the stream had. */
  let mayReset = false;
  let isOver = false;

  const problem = (text: string): void => void problems.push(text);
  const replaceBlocks = (next: readonly string[]): void => {
    const kept = new Set(next);
    for (const id of blocks) if (!kept.has(id)) for (const txID of txsOf.get(id) ?? []) accepted.delete(txID);
    blocks = [...next];
  };

  const isBranch = (chain: readonly string[]): boolean => branches.get(chain.at(-1) ?? '')?.join() === chain.join();
  /** Whether the chain is the one after the revert, with perhaps some blocks more. */
  const isReverted = (chain: readonly string[]): boolean =>
    reverting !== undefined &&
    chain.length > reverting.height &&
    chain.length <= reverting.height + 1 + maxUnacknowledged &&
    isBranch(chain.slice(0, reverting.height + 1));

  /** The chain after a start: all acknowledged blocks, and perhaps some more that were committed and not yet acknowledged. */
  const compareStart = (chain: readonly string[], statuses: { readonly [txID: string]: string }): void => {
    const shared = Math.min(chain.length, blocks.length);
    const differing = blocks.slice(0, shared).findIndex((id, height) => chain[height] !== id);
    const mayLose = isCut && (!isHonest || durability === 'checkpoint');
    // The disk may have lost a revert: the chain is then one that there was before.
    const wasThere = isCut && !isHonest && isBranch(chain);
    const isOther = differing >= 0 || chain.length < blocks.length;
    if (isOther && !isReverted(chain)) {
      if (differing >= 0 && !wasThere) problem(`block ${differing} is ${chain[differing]}, was ${blocks[differing]}`);
      if (chain.length < (mayLose ? synced : blocks.length)) problem(`blocks ${chain.length} to ${blocks.length - 1} are lost`);
    }
    const hasLost = mayLose && (isOther || (wasThere && chain.length > blocks.length));
    // If the whole database was lost, the node has created the same first blocks again, and another event log.
    mayReset = hasLost || (mayLose && synced === 0);
    replaceBlocks(chain);
    branches.set(chain.at(-1) ?? '', [...chain]);
    if (hasLost) {
      // What the disk has lost, blocks or a revert, is not to be found again, and the stream had events of it.
      const kept = new Set(isHonest ? chain.flatMap((id) => txsOf.get(id) ?? []) : []);
      accepted = new Set([...accepted].filter((txID) => kept.has(txID)));
      eventHeight = undefined;
      lastEventID = undefined;
    }
    for (const [txID, status] of Object.entries(statuses))
      if (status !== 'Accepted' && accepted.has(txID)) problem(`${txID} was accepted and is ${status}`);
    // After a power cut a process finds what is on the disk, and nothing else; but the first blocks it may have created again.
    createdLength ??= chain.length;
    const isFound = isCut && chain.length > createdLength;
    synced = !isHonest ? 0 : isFound ? chain.length : Math.min(synced, chain.length);
    isCut = false;
    reverting = undefined;
  };

  const applyEvent = ({ id, event, height = 0, blockID = '', txIDs = [] }: Extract<Fact, { kind: 'event' }>): void => {
    // After a disk has lost blocks, the stream does not know the last event of its reader.
    if (event === 'reset' && !mayReset) problem(`the stream began again at ${id}`);
    if (event === 'block') {
      if (eventHeight !== undefined && height !== eventHeight + 1) problem(`after block ${eventHeight} the stream has block ${height}`);
      eventHeight = height;
      // A commit after a refused revert has overwritten what the log had of it.
      if (reverting?.isRefused === true) reverting = undefined;
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
    apply: (fact, failures) => {
      if (fact.kind === 'started') compareStart(fact.chain, fact.statuses);
      if (fact.kind === 'event') applyEvent(fact);
      if (fact.kind === 'accepted') accepted.add(fact.txID);
      if (fact.kind === 'revert') reverting = fact.done ? undefined : { height: fact.height, isRefused: false };
      if (fact.kind === 'refused call' && reverting !== undefined) reverting.isRefused = true;
      // Before a start has said what a power cut has left, it is not known what was synced.
      if (fact.kind === 'synced' && isHonest && !isCut) synced = blocks.length;
      if (fact.kind === 'wrong') problem(fact.text);
      if (fact.kind === 'ended') compareEnd(fact.chain);
      // If the disk lies, pages and their checksums can be lost together: a start does not notice that, but a check does.
      if (fact.kind === 'unequal' && (isHonest || !wasCut)) problem(fact.text);
      if (fact.kind === 'checked' && fact.isDamaged && (isHonest || !wasCut)) problem(`serac check: ${fact.lines.join('; ')}`);
      if (fact.kind === 'refused call' && isHonest && !failures.failsReads && /damaged|malformed/.test(fact.text)) problem(fact.text);
      if (fact.kind === 'refused start' && !isExcused(fact, failures)) {
        isOver = !failures.fails;
        if (isHonest || !wasCut) problem(`the node does not start: ${fact.text}`);
      }
      if (fact.kind === 'command' && fact.isDamaged && (isHonest || !wasCut)) problem(`serac ${fact.command}: ${fact.lines.join('; ')}`);
      // Without a block there is perhaps no database.
      if (fact.kind === 'refused command' && !isExcused(fact, failures) && (isHonest || !wasCut) && blocks.length > 0)
        problem(`a command is refused: ${fact.text}`);
    },
    endSession: (isPowerCut) => {
      isCut ||= isPowerCut;
      wasCut ||= isPowerCut;
    },
    problems: () => problems,
    lastEventID: () => lastEventID,
    accepted: () => [...accepted].slice(-20),
    isOver: () => isOver,
  };
}
