import { maxTestnetNodes } from '../../app/config/peer-rules.ts';
import type { Order, Outcome } from '../../app/processes/testnet-control.ts';
import { pairsOf, refuseDelay, refuseSplit, splitOff, withDelay } from './links.ts';
import { describeNode, type TestnetNode } from './node-status.ts';
import type { Testnet } from './testnet.ts';

/** Milliseconds between two looks whether an order is carried out, and how often it is looked. */
const lookInterval = 100;
const maxLooks = 100;

type Tools = {
  readonly testnet: Testnet;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Plans a further node, with ports and a staking key of its own. */
  readonly planNode: (number: number) => Promise<TestnetNode>;
};

/** What an order is carried out with. */
type Context = Tools & {
  readonly numbers: readonly number[];
  /** The numbers for a person. */
  readonly list: string;
  readonly milliseconds: number;
  readonly until: (isDone: () => boolean) => Promise<boolean>;
};

/** Carries out an order on a running testnet; says what was done, or why not. */
export async function carryOut({ kind, nodes: numbers, milliseconds = 0 }: Order, tools: Tools): Promise<Outcome> {
  const { testnet, pause } = tools;
  const unknown = numbers.find((number) => testnet.statusOf(number) === undefined);
  if (unknown !== undefined)
    return { refused: `there is no node ${unknown}; the nodes are ${formatNumbers(testnet.nodes().map(({ number }) => number))}` };
  const until = async (isDone: () => boolean): Promise<boolean> => {
    for (let look = 0; look < maxLooks && !isDone(); look++) await pause(lookInterval);
    return isDone();
  };
  return orders[kind]({ ...tools, numbers, list: numbers.join(', '), milliseconds, until });
}

const formatNumbers = (numbers: readonly number[]): string =>
  numbers.length > 1 && numbers.every((number, at) => number === at + 1) ? `1 to ${numbers.length}` : numbers.join(', ');

const orders: { readonly [K in Order['kind']]: (context: Context) => Promise<Outcome> } = {
  kill: async ({ numbers, list, testnet, until }) => {
    for (const number of numbers) testnet.kill(number);
    await until(() => numbers.every((number) => testnet.statusOf(number)?.state === 'killed'));
    return { text: `killed node ${list}; serac testnet heal ${numbers[0]} starts it again` };
  },
  freeze: async ({ numbers, list, testnet }) => {
    const idle = numbers.find((number) => testnet.statusOf(number)?.state !== 'running');
    if (idle !== undefined) return { refused: `node ${idle} does not run: ${testnet.statusOf(idle)?.state}` };
    for (const number of numbers) testnet.freeze(number);
    return { text: `froze node ${list}; serac testnet heal ${numbers[0]} wakes it` };
  },
  partition: async ({ numbers, list, testnet, until }) => {
    const nodes = testnet.nodes();
    const reason = refuseSplit(numbers, nodes);
    if (reason !== undefined) return { refused: reason };
    testnet.setLinks({ sides: splitOff(numbers, nodes) });
    const late = (await until(testnet.isLinked)) ? '' : '; some nodes do not answer and are cut off when they do';
    // An AvalancheGo node without sybil protection counts connected nodes only.
    const isMixed = nodes.some(({ kind: program }) => program === 'AvalancheGo');
    const risk = isMixed ? '. Both sides go on deciding: if both get transactions, their chains stay different' : '';
    return { text: `cut node ${list} off from the others${late}; serac testnet heal connects them again${risk}` };
  },
  latency: async ({ numbers, list, milliseconds, testnet, until }) => {
    const pairs = pairsOf(numbers, testnet.nodes());
    const reason = refuseDelay(pairs);
    if (reason !== undefined) return { refused: reason };
    testnet.setLinks({ delays: withDelay(testnet.links().delays, pairs, milliseconds) });
    const late = (await until(testnet.isLinked)) ? '' : '; some nodes do not answer and send later when they do';
    const who = numbers.length === 0 ? 'all nodes' : numbers.length === 1 ? `node ${list} and the others` : `nodes ${list}`;
    return {
      text:
        milliseconds === 0
          ? `messages between ${who} arrive without delay${late}`
          : `messages between ${who} arrive ${milliseconds} ms later${late}; serac testnet heal ends that`,
    };
  },
  heal: async ({ numbers, list, testnet, until }) => {
    const healed = numbers.length === 0 ? testnet.nodes().map(({ number }) => number) : numbers;
    for (const number of healed) testnet.heal(number);
    const isDone = await until(() => testnet.isLinked() && healed.every((number) => testnet.statusOf(number)?.state === 'running'));
    const what = numbers.length === 0 ? 'all nodes' : `node ${list}`;
    return { text: isDone ? `healed ${what}` : `${what} can start and connect again, but not all run yet` };
  },
  add: async ({ testnet, planNode, until }) => {
    if (testnet.nodes().length >= maxTestnetNodes) return { refused: `a testnet has at most ${maxTestnetNodes} nodes` };
    const node = await planNode(Math.max(...testnet.nodes().map(({ number }) => number)) + 1);
    testnet.add(node);
    const isUp = await until(() => testnet.statusOf(node.number)?.state === 'running');
    const state = isUp ? 'it runs' : 'it starts';
    return { text: `added node ${node.number} at ${node.url}; ${state}`, added: describeNode(node) };
  },
  remove: async ({ numbers, list, testnet }) => {
    if (numbers.length === testnet.nodes().length) return { refused: 'a testnet needs a node; Ctrl-C in its terminal ends it' };
    await Promise.all(numbers.map(testnet.remove));
    return { text: `removed node ${list}; if it was one from the start, it still counts as a validator` };
  },
};
