import { createBackoff } from '../../base/timing/backoff.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { isSameStatus, type NodeReading, type NodeStatus, type TestnetNode } from './node-status.ts';
import { cutOffFrom, noSides, type Sides } from './partition.ts';

/** A process of a node. */
export type NodeProcess = {
  readonly pid: number;
  /** How it ended: `exit code 1` or `SIGKILL`. */
  readonly exited: Promise<string>;
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => void;
};

export type TestnetDeps = {
  /** Starts a node; what it prints is appended to a file in its data directory. Throws if it cannot be started. */
  readonly spawn: (node: TestnetNode) => Promise<NodeProcess>;
  readonly read: (node: TestnetNode) => Promise<NodeReading | undefined>;
  /** Cuts a node off from nodes, and from no others. Rejects if it does not answer. */
  readonly block: (node: TestnetNode, others: readonly TestnetNode[]) => Promise<void>;
  readonly timers: { readonly after: (ms: number, run: () => void) => () => void };
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onStatus: (node: TestnetNode, status: NodeStatus, pid: number | undefined) => void;
};

export type Testnet = {
  /** The process IDs of the nodes; undefined while one does not run. */
  readonly pids: () => readonly (number | undefined)[];
  readonly statuses: () => readonly NodeStatus[];
  /** Ends a node, which stays down until it is healed. */
  readonly kill: (at: number) => void;
  /** Stops the process of a node until it is healed. Does nothing for one that does not run. */
  readonly freeze: (at: number) => void;
  /** Starts, wakes and reconnects a node. */
  readonly heal: (at: number) => void;
  /** Cuts the network; nodes that do not answer now are cut off when they do. */
  readonly partition: (sides: Sides) => void;
  readonly sides: () => Sides;
  /** Whether each running Serac node has its part of the partition. */
  readonly isPartitioned: () => boolean;
  /** Stops all nodes. */
  readonly close: () => Promise<void>;
};

/** Milliseconds between two questions to a node. */
const readInterval = 500;
/** Milliseconds that a node may take to stop before it is killed. */
const stopTimeout = 15_000;
/** Waits between restarts, in milliseconds; a node that ran for `stable` counts as healthy again. */
const restart = { first: 1000, max: 30_000, stable: 60_000 } as const;

/**
 * Runs the nodes of a testnet and starts those again that exit. AvalancheGo nodes start first: until they are bootstrapped, a Serac node
 * would count as one of their validators without answering for the P- and C-Chain.
 */
export function startTestnet(nodes: readonly TestnetNode[], deps: TestnetDeps): Testnet {
  const statuses: NodeStatus[] = nodes.map(() => ({ state: 'waiting' }));
  const processes: (NodeProcess | undefined)[] = nodes.map(() => undefined);
  const abort = Promise.withResolvers<void>();
  /** Nodes that are killed: their next start waits for `release`. */
  const held = new Map<number, PromiseWithResolvers<void>>();
  const frozen = new Set<number>();
  let sides = noSides;
  /** The nodes that each running node refuses, as it was told last. */
  const refused: (string | undefined)[] = nodes.map(() => undefined);
  let isClosing = false;

  const setStatus = (at: number, status: NodeStatus): void => {
    if (isSameStatus(statuses[at] as NodeStatus, status)) return;
    statuses[at] = status;
    deps.onStatus(nodes[at] as TestnetNode, status, processes[at]?.pid);
  };
  const pause = (milliseconds: number): Promise<void> => Promise.race([sleep(deps.timers, milliseconds), abort.promise]);

  const wantedCut = (at: number): readonly TestnetNode[] => cutOffFrom(nodes[at] as TestnetNode, nodes, sides);
  const cutKey = (others: readonly TestnetNode[]): string => others.map(({ nodeID }) => nodeID).join();
  const hasCut = (at: number): boolean => nodes[at]?.kind !== 'Serac' || (refused[at] ?? '') === cutKey(wantedCut(at));

  const applyCut = async (at: number): Promise<void> => {
    const wanted = wantedCut(at);
    if (hasCut(at)) return;
    const isDone = await deps.block(nodes[at] as TestnetNode, wanted).then(
      () => true,
      () => false,
    );
    if (isDone) refused[at] = cutKey(wanted);
  };

  const watch = async (at: number, running: NodeProcess): Promise<void> => {
    while (processes[at] === running && !isClosing) {
      const reading = await deps.read(nodes[at] as TestnetNode);
      if (processes[at] !== running || isClosing) return;
      if (reading !== undefined && !frozen.has(at)) {
        await applyCut(at);
        setStatus(at, { state: 'running', ...reading });
      }
      await pause(readInterval);
    }
  };

  const run = async (at: number): Promise<void> => {
    const node = nodes[at] as TestnetNode;
    const backoff = createBackoff(restart, deps.random);
    while (!isClosing) {
      setStatus(at, { state: 'starting' });
      const started = deps.now();
      const exit = await runOnce(at, node);
      if (isClosing) return;
      const hold = held.get(at);
      if (hold !== undefined) {
        setStatus(at, { state: 'killed' });
        await Promise.race([hold.promise, abort.promise]);
        backoff.reset();
        continue;
      }
      if (deps.now() - started > restart.stable) backoff.reset();
      const retryMs = backoff.next();
      setStatus(at, { state: 'down', exit, retryMs });
      await pause(retryMs);
    }
  };

  const runOnce = async (at: number, node: TestnetNode): Promise<string> => {
    let running: NodeProcess;
    try {
      running = await deps.spawn(node);
    } catch (error) {
      return String((error as { message?: unknown } | null)?.message ?? error);
    }
    processes[at] = running;
    refused[at] = undefined;
    if (isClosing) running.kill('SIGTERM');
    void watch(at, running);
    const exit = await running.exited;
    processes[at] = undefined;
    frozen.delete(at);
    return exit;
  };

  const isReady = (at: number): boolean => {
    const status = statuses[at] as NodeStatus;
    return status.state === 'running' && status.isBootstrapped;
  };

  const runAll = async (): Promise<void> => {
    // The caller prints the nodes first.
    await pause(0);
    const isFirst = (at: number): boolean => nodes[at]?.kind === 'AvalancheGo';
    const all = nodes.map((_, at) => at);
    const first = all.filter(isFirst);
    const firstRuns = first.map(run);
    while (!isClosing && !first.every(isReady)) await pause(readInterval / 5);
    await Promise.all([...firstRuns, ...all.filter((at) => !isFirst(at)).map(run)]);
  };
  const done = runAll();

  const close = async (): Promise<void> => {
    isClosing = true;
    abort.resolve();
    for (const one of processes) one?.kill('SIGTERM');
    // A frozen process ends when it is woken.
    for (const at of frozen) processes[at]?.kill('SIGCONT');
    const cancel = deps.timers.after(stopTimeout, () => {
      for (const one of processes) one?.kill('SIGKILL');
    });
    await done;
    cancel();
  };

  let closed: Promise<void> | undefined;
  return {
    pids: () => processes.map((one) => one?.pid),
    statuses: () => [...statuses],
    kill: (at) => {
      if (!held.has(at)) held.set(at, Promise.withResolvers());
      processes[at]?.kill('SIGKILL');
    },
    freeze: (at) => {
      if (processes[at] === undefined) return;
      frozen.add(at);
      processes[at]?.kill('SIGSTOP');
      setStatus(at, { state: 'frozen' });
    },
    heal: (at) => {
      held.get(at)?.resolve();
      held.delete(at);
      if (frozen.delete(at)) processes[at]?.kill('SIGCONT');
      sides = new Map([...sides].filter(([number]) => number !== nodes[at]?.number));
    },
    partition: (wanted) => {
      sides = wanted;
    },
    sides: () => sides,
    isPartitioned: () => nodes.every((_, at) => statuses[at]?.state !== 'running' || hasCut(at)),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
