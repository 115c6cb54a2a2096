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
  const cuts = createCuts(nodes, deps.block);
  const runs = createRuns(nodes, deps, cuts);
  const { statuses, processes, held, frozen } = runs;

  const isReady = (at: number): boolean => {
    const status = statuses[at] as NodeStatus;
    return status.state === 'running' && status.isBootstrapped;
  };

  const runAll = async (): Promise<void> => {
    // The caller prints the nodes first.
    await runs.pause(0);
    const isFirst = (at: number): boolean => nodes[at]?.kind === 'AvalancheGo';
    const all = nodes.map((_, at) => at);
    const first = all.filter(isFirst);
    const firstRuns = first.map(runs.run);
    while (!runs.isClosing() && !first.every(isReady)) await runs.pause(readInterval / 5);
    await Promise.all([...firstRuns, ...all.filter((at) => !isFirst(at)).map(runs.run)]);
  };
  const done = runAll();

  const close = async (): Promise<void> => {
    runs.stop();
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
      runs.setStatus(at, { state: 'frozen' });
    },
    heal: (at) => {
      held.get(at)?.resolve();
      held.delete(at);
      if (frozen.delete(at)) processes[at]?.kill('SIGCONT');
      cuts.setSides(new Map([...cuts.sides()].filter(([number]) => number !== nodes[at]?.number)));
    },
    partition: cuts.setSides,
    sides: cuts.sides,
    isPartitioned: () => nodes.every((_, at) => statuses[at]?.state !== 'running' || cuts.isApplied(at)),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** The processes of the nodes: each is started, watched, and started again when it ends. */
function createRuns(nodes: readonly TestnetNode[], deps: TestnetDeps, cuts: ReturnType<typeof createCuts>) {
  const statuses: NodeStatus[] = nodes.map(() => ({ state: 'waiting' }));
  const processes: (NodeProcess | undefined)[] = nodes.map(() => undefined);
  const abort = Promise.withResolvers<void>();
  /** Nodes that are killed: their next start waits for `release`. */
  const held = new Map<number, PromiseWithResolvers<void>>();
  const frozen = new Set<number>();
  let isClosing = false;

  const setStatus = (at: number, status: NodeStatus): void => {
    if (isSameStatus(statuses[at] as NodeStatus, status)) return;
    statuses[at] = status;
    deps.onStatus(nodes[at] as TestnetNode, status, processes[at]?.pid);
  };
  const pause = (milliseconds: number): Promise<void> => Promise.race([sleep(deps.timers, milliseconds), abort.promise]);

  const watch = async (at: number, running: NodeProcess): Promise<void> => {
    while (processes[at] === running && !isClosing) {
      const reading = await deps.read(nodes[at] as TestnetNode);
      if (processes[at] !== running || isClosing) return;
      if (reading !== undefined && !frozen.has(at)) {
        await cuts.apply(at);
        setStatus(at, { state: 'running', ...reading });
      }
      await pause(readInterval);
    }
  };

  const runOnce = async (at: number): Promise<string> => {
    let running: NodeProcess;
    try {
      running = await deps.spawn(nodes[at] as TestnetNode);
    } catch (error) {
      return String((error as { message?: unknown } | null)?.message ?? error);
    }
    processes[at] = running;
    cuts.forget(at);
    if (isClosing) running.kill('SIGTERM');
    void watch(at, running);
    const exit = await running.exited;
    processes[at] = undefined;
    frozen.delete(at);
    return exit;
  };

  const run = async (at: number): Promise<void> => {
    const backoff = createBackoff(restart, deps.random);
    while (!isClosing) {
      setStatus(at, { state: 'starting' });
      const started = deps.now();
      const exit = await runOnce(at);
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

  /** Ends all processes and starts none again. */
  const stop = (): void => {
    isClosing = true;
    abort.resolve();
    for (const one of processes) one?.kill('SIGTERM');
    // A frozen process ends when it is woken.
    for (const at of frozen) processes[at]?.kill('SIGCONT');
  };

  return { statuses, processes, held, frozen, setStatus, pause, run, stop, isClosing: () => isClosing };
}

/** Which nodes each node refuses, and what it was told last. */
function createCuts(nodes: readonly TestnetNode[], block: TestnetDeps['block']) {
  let sides = noSides;
  /** The nodes that each running node refuses, as it was told last. */
  const refused: (string | undefined)[] = nodes.map(() => undefined);
  const wantedCut = (at: number): readonly TestnetNode[] => cutOffFrom(nodes[at] as TestnetNode, nodes, sides);
  const keyOf = (others: readonly TestnetNode[]): string => others.map(({ nodeID }) => nodeID).join();
  const isApplied = (at: number): boolean => nodes[at]?.kind !== 'Serac' || (refused[at] ?? '') === keyOf(wantedCut(at));
  return {
    sides: () => sides,
    setSides: (wanted: Sides): void => {
      sides = wanted;
    },
    isApplied,
    /** Tells a node which nodes to refuse, unless it knows. If it does not answer, the next call tells it. */
    apply: async (at: number): Promise<void> => {
      if (isApplied(at)) return;
      const wanted = wantedCut(at);
      const isDone = await block(nodes[at] as TestnetNode, wanted).then(
        () => true,
        () => false,
      );
      if (isDone) refused[at] = keyOf(wanted);
    },
    /** A node that starts refuses nobody. */
    forget: (at: number): void => {
      refused[at] = undefined;
    },
  };
}
