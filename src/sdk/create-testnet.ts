import { type Client, createClient } from '../api/client/client.ts';
import { type NodeLine, startTestnetProcess } from '../app/platform/testnet-process.ts';
import { type NodeFacts, type Order, sendOrder, TestnetError } from '../app/processes/testnet-control.ts';
import { createKeepAlive, type KeepAlive } from './keep-alive.ts';
import type { TestnetOptions } from './testnet-options.ts';

/** A node of a testnet: the typed methods of its client, and what it is. */
export type TestnetNode = Client & {
  /** From 1 on; the methods of the testnet take it. */
  readonly number: number;
  readonly kind: 'Serac' | 'AvalancheGo';
  readonly nodeID: string;
  readonly dataDir: string;
  /** How the node does, as it was last asked: twice a second. */
  readonly status: () => TestnetStatus;
};

export type TestnetStatus = Pick<NodeLine, 'state' | 'peers' | 'health'> & {
  /** Of a running node. */
  readonly height?: bigint;
};

/** A network of nodes on this machine, each in a process of its own. Nodes are named by their numbers. */
export type Testnet = {
  /** The nodes, in the order of their numbers; `add` and `remove` change it. */
  readonly nodes: readonly TestnetNode[];
  /** The folder with the data and the logs of the nodes. */
  readonly folder: string;
  /** Ends nodes as in a crash; they stay down until they are healed. */
  readonly kill: (...nodes: number[]) => Promise<void>;
  /** Stops the processes of nodes until they are healed: their connections stay open, and nothing answers. Not on Windows. */
  readonly freeze: (...nodes: number[]) => Promise<void>;
  /** Cuts these nodes off from the others. */
  readonly partition: (...nodes: number[]) => Promise<void>;
  /** Makes messages between these nodes, between one and all others, or between all, arrive later; 0 ends that. */
  readonly latency: (milliseconds: number, ...nodes: number[]) => Promise<void>;
  /** Starts, wakes and reconnects these nodes, or all, and ends their delays. */
  readonly heal: (...nodes: number[]) => Promise<void>;
  /** Starts one more Serac node. In a network of Serac nodes it follows the validators, which are those from the start. */
  readonly add: () => Promise<TestnetNode>;
  /** Ends nodes for good. */
  readonly remove: (...nodes: number[]) => Promise<void>;
  /** Resolves when every node that is neither killed nor frozen is healthy, and all these have the same height. */
  readonly ready: () => Promise<void>;
  /** Resolves when these nodes, or all that are neither killed nor frozen, have accepted a transaction. */
  readonly accepted: (txID: string, ...nodes: number[]) => Promise<void>;
  /** Stops all nodes; without `dataDir` their data are removed. May be called twice. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** Milliseconds between two looks whether nodes are ready. */
const lookInterval = 50;

/**
 * Starts a network of so many Serac nodes, and resolves when all are healthy and connected. Nothing is left of it after `close`, nor after this
 * process has ended in any way.
 */
export function createTestnet(nodes: number, options: TestnetOptions = {}): Promise<Testnet> {
  const keepAlive = createKeepAlive();
  return keepAlive.during(startTestnet(nodes, options, keepAlive));
}

async function startTestnet(count: number, options: TestnetOptions, { during }: KeepAlive): Promise<Testnet> {
  const { timeout = 60_000 } = options;
  const lines = new Map<number, NodeLine>();
  const running = await startTestnetProcess<NodeFacts>(
    [`${count}`, ...listFlags(options)],
    options.dataDir !== undefined,
    (line) => lines.set(line.node, line),
    (reason) => new TestnetError(`serac testnet could not start: ${reason}`, { code: 'TESTNET_FAILED', reason }),
  );
  const { folder } = running;
  const nodes = running.nodes.map((facts) => createNode(facts, lines));
  let closed: Promise<void> | undefined;
  let hasEnded = false;
  void running.exited.then(() => {
    hasEnded = true;
  });

  const waitFor = async (what: string, isDone: () => boolean | Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + timeout;
    while (!(await isDone())) {
      if (hasEnded) throw closedError();
      if (performance.now() > deadline) throw timeoutError(what, timeout, nodes);
      await new Promise((resolve) => setTimeout(resolve, lookInterval));
    }
  };
  const upNodes = (): TestnetNode[] => nodes.filter((node) => !['killed', 'frozen'].includes(node.status().state));
  const isHealthy = (): boolean => {
    const statuses = upNodes().map((node) => node.status());
    return statuses.every(({ health }) => health === 'healthy') && new Set(statuses.map(({ height }) => height)).size <= 1;
  };
  const isMesh = (): boolean => nodes.every((node) => (node.status().peers ?? 0) >= nodes.length - 1);
  const isAcceptedBy = (node: TestnetNode, txID: string): Promise<boolean> =>
    node.avm.getTxStatus({ txID }).then(
      ({ status }) => status === 'Accepted',
      () => false,
    );
  const order = async (kind: Order['kind'], numbers: readonly number[] = [], milliseconds?: number) => {
    if (hasEnded) throw closedError();
    return during(sendOrder({ kind, nodes: numbers, ...(milliseconds !== undefined && { milliseconds }) }, folder, ''));
  };
  const orderNamed = (kind: Order['kind'], numbers: readonly number[]) => {
    if (numbers.length > 0) return order(kind, numbers);
    throw new TestnetError(`${kind} needs the number of a node`, { code: 'TESTNET_REFUSED', reason: 'no node is named' });
  };
  const close = (): Promise<void> => {
    closed ??= during(running.close());
    return closed;
  };
  try {
    await waitFor('the nodes to be connected and healthy', () => isMesh() && isHealthy());
  } catch (error) {
    await close();
    throw error;
  }
  return {
    nodes,
    folder,
    kill: async (...numbers) => void (await orderNamed('kill', numbers)),
    freeze: async (...numbers) => void (await orderNamed('freeze', numbers)),
    partition: async (...numbers) => void (await orderNamed('partition', numbers)),
    latency: async (milliseconds, ...numbers) => void (await order('latency', numbers, milliseconds)),
    heal: async (...numbers) => void (await order('heal', numbers)),
    add: async () => {
      const { added } = await order('add');
      const node = createNode(added as NodeFacts, lines);
      nodes.push(node);
      await during(waitFor(`node ${node.number} to be healthy`, () => node.status().health === 'healthy'));
      return node;
    },
    remove: async (...numbers) => {
      await orderNamed('remove', numbers);
      for (const number of numbers) {
        nodes.splice(
          nodes.findIndex((node) => node.number === number),
          1,
        );
        lines.delete(number);
      }
    },
    ready: () => during(waitFor('all nodes to be healthy at the same height', isHealthy)),
    accepted: (txID, ...numbers) => {
      const asked = numbers.length === 0 ? upNodes() : nodes.filter(({ number }) => numbers.includes(number));
      const isDone = async (): Promise<boolean> => (await Promise.all(asked.map((node) => isAcceptedBy(node, txID)))).every(Boolean);
      return during(waitFor(`transaction ${txID} to be accepted by node ${asked.map(({ number }) => number).join(', ')}`, isDone));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createNode({ node: number, kind, nodeID, url, dataDir }: NodeFacts, lines: ReadonlyMap<number, NodeLine>): TestnetNode {
  const status = (): TestnetStatus => {
    const { state = 'waiting', height, peers, health }: Partial<NodeLine> = lines.get(number) ?? {};
    return state === 'running' ? { state, height: BigInt(height ?? 0), peers: peers ?? 0, health: health ?? '' } : { state };
  };
  return { ...createClient(url), number, kind, nodeID, dataDir, status };
}

/** The flags of `serac testnet` that options stand for. Ports are free ones. */
function listFlags({ flags = [], timeout: _, minBlockDelay = '0s', ...options }: TestnetOptions): string[] {
  const named = Object.entries({ ...options, minBlockDelay }).filter(([, value]) => value !== undefined);
  const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [...named.map(([name, value]) => `--${kebabCase(name)}=${value}`), '--http-port=0', '--json', ...flags];
}

const closedError = (): TestnetError => new TestnetError('the testnet is closed; create another one', { code: 'TESTNET_NOT_FOUND' });

const timeoutError = (what: string, timeout: number, nodes: readonly TestnetNode[]): TestnetError => {
  const statuses = nodes.map((node) => {
    const { state, height, health } = node.status();
    return `node ${node.number} ${state}${state === 'running' ? `, height ${height}, ${health}` : ''}`;
  });
  const reason = `waited ${timeout / 1000} s for ${what}: ${statuses.join('; ')}`;
  return new TestnetError(reason, { code: 'TESTNET_FAILED', reason });
};
