import { openEvents, type ReceivedEvent } from './event-client.ts';

/**
 * A client that follows the blocks and transactions of a node across restarts, as a browser's EventSource does: it resumes after the last ID.
 * It checks on the way that nothing is missing and nothing comes twice.
 */
export type EventFollower = {
  /** What was wrong with the stream so far. */
  readonly problems: readonly string[];
  readonly counts: () => { readonly blocks: number; readonly txs: number; readonly connections: number };
  /** Whether the stream has begun: no later block is missed. */
  readonly isConnected: () => boolean;
  /** Height of the last block, with all its transactions; undefined before the first one. */
  readonly height: () => number | undefined;
  /** Resolves when the event of a transaction has come; call it before that can happen. */
  readonly untilTx: (txID: string) => Promise<void>;
  readonly stop: () => Promise<void>;
};

type FollowerOptions = {
  /** The port of the node now; undefined while it is down. */
  readonly port: () => number | undefined;
  readonly onTx?: (txID: string) => void;
};

/** Milliseconds before it connects again. */
const pause = 10;

export function followEvents({ port, onTx }: FollowerOptions): EventFollower {
  const problems: string[] = [];
  const waiting = new Map<string, () => void>();
  const count = { blocks: 0, txs: 0, connections: 0 };
  let last: { readonly height: number; readonly blockID: string } | undefined;
  let lastEventID: string | undefined;
  /** Transactions of the last block whose events have not come yet. */
  let due: string[] = [];
  let isStopped = false;
  let close = (): void => {};

  const receiveBlock = ({ height, blockID, parentID, txIDs }: Record<string, unknown>): void => {
    if (due.length > 0) problems.push(`block ${height} came before ${due.length} transactions of block ${last?.height}`);
    if (last !== undefined && (height !== last.height + 1 || parentID !== last.blockID))
      problems.push(`block ${height} came after block ${last.height}`);
    last = { height: height as number, blockID: blockID as string };
    due = [...(txIDs as string[])];
    count.blocks++;
  };
  const receiveTx = ({ height, txID }: Record<string, unknown>): void => {
    const expected = due.shift();
    // The first connection may begin inside a block.
    if (last !== undefined && (height !== last.height || txID !== expected))
      problems.push(`${txID} of block ${height} came instead of ${expected} of block ${last.height}`);
    count.txs++;
    onTx?.(txID as string);
    waiting.get(txID as string)?.();
    waiting.delete(txID as string);
  };
  const receive = ({ id, kind, data }: ReceivedEvent): void => {
    lastEventID = id ?? lastEventID;
    if (kind === 'block') receiveBlock(data);
    else if (kind === 'tx') receiveTx(data);
    else if (kind === 'reset' || kind === 'reverted') problems.push(`${kind} after block ${last?.height}: ${JSON.stringify(data)}`);
  };

  const run = async (): Promise<void> => {
    for (; !isStopped; await Bun.sleep(pause)) {
      const at = port();
      if (at === undefined) continue;
      const headers: Record<string, string> = lastEventID === undefined ? {} : { 'last-event-id': lastEventID };
      const client = openEvents(at, '?kind=block,tx,reverted', headers, receive);
      close = client.close;
      await client.closed;
      if (client.status() !== '') count.connections++;
    }
  };
  const running = run();
  return {
    problems,
    counts: () => ({ ...count }),
    isConnected: () => lastEventID !== undefined,
    height: () => (due.length > 0 ? (last?.height ?? 0) - 1 : last?.height),
    untilTx: (txID) => new Promise((resolve) => void waiting.set(txID, resolve)),
    stop: async () => {
      isStopped = true;
      close();
      await running;
    },
  };
}
