import { createBackoff } from '../../base/timing/backoff.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { cutOffFrom, delaysOf, healLinks, intactLinks, type Links } from './links.ts';
import { isSameStatus, type NodeReading, type NodeStatus, type TestnetNode } from './node-status.ts';

/** A process of a node. */
export type NodeProcess = {
  readonly pid: number;
  /** How it ended: `exit code 1` or `SIGKILL`. */
  readonly exited: Promise<string>;
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => void;
};

/** What a node does to its connections: the nodes that it refuses, and those to which it sends later, with the milliseconds. */
export type NodeLinks = { readonly refused: readonly TestnetNode[]; readonly delayed: ReadonlyMap<TestnetNode, number> };

export type TestnetDeps = {
  /** Starts a node; what it prints is appended to a file in its data directory. Throws if it cannot be started. */
  readonly spawn: (node: TestnetNode) => Promise<NodeProcess>;
  readonly read: (node: TestnetNode) => Promise<NodeReading | undefined>;
  /** Tells a node what to do to its connections, and what it was told before. Rejects if it does not answer. */
  readonly link: (node: TestnetNode, wanted: NodeLinks, before: NodeLinks) => Promise<void>;
  readonly timers: { readonly after: (ms: number, run: () => void) => () => void };
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onStatus: (node: TestnetNode, status: NodeStatus, pid: number | undefined) => void;
};

export type Testnet = ReturnType<typeof startTestnet>;

/** Milliseconds between two questions to a node. */
const readInterval = 500;
/** Milliseconds that a node may take to stop before it is killed. */
const stopTimeout = 15_000;
/** Waits between restarts, in milliseconds; a node that ran for `stable` counts as healthy again. */
const restart = { first: 1000, max: 30_000, stable: 60_000 } as const;

/** A node, and what is known and wanted of its process. */
type NodeRun = {
  readonly node: TestnetNode;
  status: NodeStatus;
  process: NodeProcess | undefined;
  /** It is killed: its next start waits for this. */
  held: PromiseWithResolvers<void> | undefined;
  isFrozen: boolean;
  isRemoved: boolean;
  readonly removed: PromiseWithResolvers<void>;
  /** What it was told last; a node that starts refuses nobody. */
  told: NodeLinks;
  /** Resolves when it is removed, or the testnet is closed. */
  done: Promise<void>;
};

const noLinks: NodeLinks = { refused: [], delayed: new Map() };

/**
 * Runs the nodes of a testnet and starts those again that exit. AvalancheGo nodes start first: until they are bootstrapped, a Serac node
 * would count as one of their validators without answering for the P- and C-Chain.
 */
export function startTestnet(planned: readonly TestnetNode[], deps: TestnetDeps) {
  const runs = new Map<number, NodeRun>();
  const abort = Promise.withResolvers<void>();
  let links = intactLinks;
  let isClosing = false;
  const nodes = (): TestnetNode[] => [...runs.values()].map(({ node }) => node);
  const pause = (milliseconds: number): Promise<void> => Promise.race([sleep(deps.timers, milliseconds), abort.promise]);
  const context: RunContext = { deps, pause, aborted: abort.promise, isClosing: () => isClosing, applyLinks: (run) => applyLinks(run) };

  const wantedLinks = ({ node }: NodeRun): NodeLinks => ({
    refused: cutOffFrom(node, nodes(), links.sides),
    delayed: delaysOf(node, nodes(), links.delays),
  });
  const isLinked = (run: NodeRun): boolean => run.node.kind !== 'Serac' || keyOf(run.told) === keyOf(wantedLinks(run));
  /** Tells a node what to do to its connections, unless it knows. If it does not answer, the next call tells it. */
  const applyLinks = async (run: NodeRun): Promise<void> => {
    if (isLinked(run)) return;
    const wanted = wantedLinks(run);
    const isDone = await deps.link(run.node, wanted, run.told).then(
      () => true,
      () => false,
    );
    if (isDone) run.told = wanted;
  };

  const open = (node: TestnetNode): NodeRun => {
    const run: NodeRun = {
      node,
      status: { state: 'waiting' },
      process: undefined,
      held: undefined,
      isFrozen: false,
      isRemoved: false,
      removed: Promise.withResolvers(),
      told: noLinks,
      done: Promise.resolve(),
    };
    runs.set(node.number, run);
    return run;
  };
  const begin = (run: NodeRun): void => {
    run.done = runNode(run, context);
  };
  const isReady = ({ status }: NodeRun): boolean => status.state === 'running' && status.isBootstrapped;
  const first = planned.map(open);
  const startAll = async (): Promise<void> => {
    // The caller prints the nodes first.
    await pause(0);
    const avalancheGo = first.filter(({ node }) => node.kind === 'AvalancheGo');
    for (const run of avalancheGo) begin(run);
    while (!isClosing && !avalancheGo.every(isReady)) await pause(readInterval / 5);
    if (!isClosing) for (const run of first) if (run.node.kind === 'Serac' && !run.isRemoved) begin(run);
  };
  const started = startAll();

  const end = ({ process, isFrozen }: NodeRun): void => {
    process?.kill('SIGTERM');
    // A frozen process ends when it is woken.
    if (isFrozen) process?.kill('SIGCONT');
  };
  /** Ends nodes, by force if they take long. */
  const stop = async (stopped: readonly NodeRun[]): Promise<void> => {
    for (const run of stopped) end(run);
    const cancel = deps.timers.after(stopTimeout, () => {
      for (const { process } of stopped) process?.kill('SIGKILL');
    });
    await Promise.all(stopped.map(({ done }) => done));
    cancel();
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    abort.resolve();
    for (const run of runs.values()) end(run);
    await started;
    await stop([...runs.values()]);
  };

  let closed: Promise<void> | undefined;
  return {
    nodes,
    statusOf: (number: number): NodeStatus | undefined => runs.get(number)?.status,
    /** The process of a node; undefined while it does not run. */
    pidOf: (number: number): number | undefined => runs.get(number)?.process?.pid,
    /** Ends a node, which stays down until it is healed. */
    kill: (number: number): void => {
      const run = runs.get(number);
      if (run === undefined) return;
      run.held ??= Promise.withResolvers();
      run.process?.kill('SIGKILL');
    },
    /** Stops the process of a node until it is healed. Does nothing for one that does not run. */
    freeze: (number: number): void => {
      const run = runs.get(number);
      if (run?.process === undefined) return;
      run.isFrozen = true;
      run.process.kill('SIGSTOP');
      setStatus(run, { state: 'frozen' }, deps);
    },
    /** Starts, wakes and reconnects a node. */
    heal: (number: number): void => {
      const run = runs.get(number);
      if (run === undefined) return;
      run.held?.resolve();
      run.held = undefined;
      if (run.isFrozen) run.process?.kill('SIGCONT');
      run.isFrozen = false;
      links = healLinks(links, number);
    },
    /** Starts one more node. */
    add: (node: TestnetNode): void => begin(open(node)),
    /** Ends a node in order, and forgets it. */
    remove: async (number: number): Promise<void> => {
      const run = runs.get(number);
      if (run === undefined) return;
      run.isRemoved = true;
      run.removed.resolve();
      await stop([run]);
      runs.delete(number);
      links = healLinks(links, number);
    },
    links: (): Links => links,
    /** Cuts or slows connections; nodes that do not answer now are told when they do. */
    setLinks: (change: Partial<Links>): void => {
      links = { ...links, ...change };
    },
    /** Whether each running Serac node does what it should to its connections. */
    isLinked: (): boolean => [...runs.values()].every((run) => run.status.state !== 'running' || isLinked(run)),
    /** Stops all nodes. */
    close: (): Promise<void> => {
      closed ??= close();
      return closed;
    },
  };
}

const keyOf = ({ refused, delayed }: NodeLinks): string =>
  [...refused.map(({ nodeID }) => nodeID), ...[...delayed].map(([{ nodeID }, ms]) => `${nodeID} ${ms}`)].join();

type RunContext = {
  readonly deps: TestnetDeps;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Resolves when the testnet is closed. */
  readonly aborted: Promise<void>;
  readonly isClosing: () => boolean;
  readonly applyLinks: (run: NodeRun) => Promise<void>;
};

function setStatus(run: NodeRun, status: NodeStatus, { onStatus }: TestnetDeps): void {
  const isSame = isSameStatus(run.status, status);
  run.status = status;
  if (!isSame) onStatus(run.node, status, run.process?.pid);
}

/** Starts a node, and starts it again when it ends, until it is removed or the testnet is closed. */
async function runNode(run: NodeRun, context: RunContext): Promise<void> {
  const { deps, pause, aborted, isClosing } = context;
  const backoff = createBackoff(restart, deps.random);
  const isOver = (): boolean => isClosing() || run.isRemoved;
  while (!isOver()) {
    setStatus(run, { state: 'starting' }, deps);
    const started = deps.now();
    const exit = await runOnce(run, context);
    if (isOver()) return;
    if (run.held !== undefined) {
      setStatus(run, { state: 'killed' }, deps);
      await Promise.race([run.held.promise, run.removed.promise, aborted]);
      backoff.reset();
      continue;
    }
    if (deps.now() - started > restart.stable) backoff.reset();
    const retryMs = backoff.next();
    setStatus(run, { state: 'down', exit, retryMs }, deps);
    await Promise.race([pause(retryMs), run.removed.promise]);
  }
}

/** Runs a node once; resolves with how it ended. */
async function runOnce(run: NodeRun, context: RunContext): Promise<string> {
  let running: NodeProcess;
  try {
    running = await context.deps.spawn(run.node);
  } catch (error) {
    return String((error as { message?: unknown } | null)?.message ?? error);
  }
  run.process = running;
  run.told = noLinks;
  if (context.isClosing() || run.isRemoved) running.kill('SIGTERM');
  void watch(run, running, context);
  const exit = await running.exited;
  run.process = undefined;
  run.isFrozen = false;
  return exit;
}

/** Asks a running node again and again how it does. */
async function watch(run: NodeRun, running: NodeProcess, { deps, pause, isClosing, applyLinks }: RunContext): Promise<void> {
  const isOver = (): boolean => run.process !== running || isClosing() || run.isRemoved;
  while (!isOver()) {
    const reading = await deps.read(run.node);
    if (isOver()) return;
    if (reading !== undefined && !run.isFrozen) {
      await applyLinks(run);
      if (!isOver() && !run.isFrozen) setStatus(run, { state: 'running', ...reading }, deps);
    }
    await pause(readInterval);
  }
}
