import { heightOf } from './network-nodes.ts';
import { nodesWithin, type TimedNode } from './node-timeout.ts';
import type { Random } from './random.ts';
import type { StakerNode } from './staker-network.ts';

/** A fault of a network: which nodes it hits, and for how long. */
type Fault = { readonly kind: 'kill' | 'freeze' | 'partition'; readonly nodes: readonly StakerNode[]; readonly seconds: number };

/** Faults one after the other, the next only when the network is whole again: the five nodes have a fifth of the stake each. */
type FaultMaker = {
  /** Nodes that no fault hits now. */
  readonly wholeNodes: () => readonly StakerNode[];
  /** Lets one fault happen, and ends it. Returns what it was. */
  readonly happen: () => Promise<string>;
};

export function createFaultMaker(
  nodes: readonly StakerNode[],
  random: Random,
  seconds: { readonly min: number; readonly max: number },
): FaultMaker {
  const serac = nodes.filter(({ kind }) => kind === 'Serac');
  let hit: readonly StakerNode[] = [];
  /** Only Serac nodes can refuse a peer, so all AvalancheGo nodes are on the same side. */
  const draw = (): Fault => {
    const kind = random.pick(['kill', 'freeze', 'partition'] as const);
    const cut = random.below(3) === 0 ? serac : [random.pick(serac)];
    return {
      kind,
      nodes: kind === 'partition' ? cut : [random.pick(nodes)],
      seconds: seconds.min + random.below(seconds.max - seconds.min),
    };
  };
  const cutOff = async (inside: readonly StakerNode[], isCut: boolean): Promise<void> => {
    for (const node of serac) {
      const others = nodes.filter((other) => inside.includes(other) !== inside.includes(node));
      const { error } = await node.client.call('/ext/dev', 'dev.blockPeers', { nodeIDs: isCut ? others.map(({ nodeID }) => nodeID) : [] });
      if (error !== undefined) throw new Error(`${node.name}: ${error.message}`);
    }
  };
  return {
    wholeNodes: () => nodes.filter((node) => !hit.includes(node)),
    happen: async () => {
      const fault = draw();
      hit = fault.nodes;
      const [first] = fault.nodes as [StakerNode];
      if (fault.kind === 'kill') await first.kill();
      if (fault.kind === 'freeze') first.signal('SIGSTOP');
      if (fault.kind === 'partition') await cutOff(fault.nodes, true);
      await Bun.sleep(1000 * fault.seconds);
      if (fault.kind === 'kill') first.start();
      if (fault.kind === 'freeze') first.signal('SIGCONT');
      if (fault.kind === 'partition') await cutOff(fault.nodes, false);
      hit = [];
      return `${fault.kind} ${fault.nodes.map(({ name }) => name).join(', ')} for ${fault.seconds} s`;
    },
  };
}

/** What a watch over nodes saw. */
type WatchResult = {
  readonly readings: number;
  /** Readings in which a node was healthy although it lacked a block that most nodes had had for longer than the limit. */
  readonly healthyBehind: readonly string[];
  /** The longest time for which each node lacked what most nodes had, in milliseconds. */
  readonly longestBehind: Readonly<Record<string, number>>;
};

/**
 * Reads height and health of all nodes once a second. A node is behind by the time since which more than half of the nodes have a height that it
 * lacks. Health is read before the height, so a node that catches up between the two is not blamed.
 */
export function watchHealth(nodes: readonly StakerNode[], limit: number): { readonly stop: () => Promise<WatchResult> } {
  const timed = nodesWithin(nodes, 2000);
  const latest = new Map<TimedNode, bigint>();
  /** Since when most nodes have each height. */
  const reached: { readonly height: bigint; readonly since: number }[] = [];
  const healthyBehind: string[] = [];
  const longestBehind: Record<string, number> = {};
  let readings = 0;
  let isStopped = false;

  const noteMajority = (now: number): void => {
    const height = [...latest.values()].sort((a, b) => (a > b ? -1 : 1))[Math.floor(nodes.length / 2)];
    if (height !== undefined && height > (reached.at(-1)?.height ?? -1n)) reached.push({ height, since: now });
  };
  const readNode = async (node: TimedNode): Promise<void> => {
    const asked = performance.now();
    const health = await node.client.send('GET', '/ext/health').catch(() => undefined);
    const height = await heightOf(node).catch(() => undefined);
    readings++;
    if (height !== undefined) latest.set(node, height);
    const own = height ?? latest.get(node) ?? 0n;
    const missing = reached.find((one) => one.height > own);
    const behind = missing === undefined ? 0 : asked - missing.since;
    longestBehind[node.name] = Math.max(longestBehind[node.name] ?? 0, behind);
    if (behind > limit && health?.status === 200)
      healthyBehind.push(`${node.name}: healthy at height ${own}, ${Math.round(behind)} ms behind ${reached.at(-1)?.height}`);
  };
  const watching = (async () => {
    while (!isStopped) {
      await Promise.all(timed.map(readNode));
      noteMajority(performance.now());
      await Bun.sleep(1000);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await watching;
      return { readings, healthyBehind, longestBehind };
    },
  };
}
