import { createBackoff } from '../../base/timing/backoff.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { isSameStatus, type NodeReading, type NodeStatus, type TestnetNode } from './node-status.ts';

/** A process of a node. */
export type NodeProcess = {
  readonly pid: number;
  /** How it ended: `exit code 1` or `SIGKILL`. */
  readonly exited: Promise<string>;
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => void;
};

export type TestnetDeps = {
  /** Starts a node; what it prints is appended to a file in its data directory. Throws if it cannot be started. */
  readonly spawn: (node: TestnetNode) => Promise<NodeProcess>;
  readonly read: (node: TestnetNode) => Promise<NodeReading | undefined>;
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
      if (reading !== undefined) setStatus(at, { state: 'running', ...reading });
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
    if (isClosing) running.kill('SIGTERM');
    void watch(at, running);
    const exit = await running.exited;
    processes[at] = undefined;
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
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
