import type { Order, Outcome } from './control.ts';
import type { TestnetNode } from './node-status.ts';
import { refuseSplit, splitOff } from './partition.ts';
import type { Testnet } from './testnet.ts';

/** Milliseconds between two looks whether an order is carried out, and how often it is looked. */
const lookInterval = 100;
const maxLooks = 100;

/** Carries out an order on a running testnet; says what was done, or why not. */
export async function carryOut(
  { kind, nodes: numbers }: Order,
  testnet: Testnet,
  nodes: readonly TestnetNode[],
  pause: (milliseconds: number) => Promise<void>,
): Promise<Outcome> {
  const unknown = numbers.find((number) => nodes[number - 1] === undefined);
  if (unknown !== undefined) return { refused: `there is no node ${unknown}; the nodes are 1 to ${nodes.length}` };
  const list = numbers.join(', ');
  const positions = numbers.map((number) => number - 1);
  const until = async (isDone: () => boolean): Promise<boolean> => {
    for (let look = 0; look < maxLooks && !isDone(); look++) await pause(lookInterval);
    return isDone();
  };
  const stateOf = (at: number): string | undefined => testnet.statuses()[at]?.state;
  switch (kind) {
    case 'kill':
      for (const at of positions) testnet.kill(at);
      await until(() => positions.every((at) => stateOf(at) === 'killed'));
      return { text: `killed node ${list}; serac testnet heal ${numbers[0]} starts it again` };
    case 'freeze': {
      const idle = positions.find((at) => stateOf(at) !== 'running');
      if (idle !== undefined) return { refused: `node ${idle + 1} does not run: ${stateOf(idle)}` };
      for (const at of positions) testnet.freeze(at);
      return { text: `froze node ${list}; serac testnet heal ${numbers[0]} wakes it` };
    }
    case 'partition': {
      const reason = refuseSplit(numbers, nodes);
      if (reason !== undefined) return { refused: reason };
      testnet.partition(splitOff(numbers, nodes));
      const isDone = await until(testnet.isPartitioned);
      const late = isDone ? '' : '; some nodes do not answer and are cut off when they do';
      // An AvalancheGo node without sybil protection counts connected nodes only.
      const isMixed = nodes.some(({ kind: program }) => program === 'AvalancheGo');
      const risk = isMixed ? '. Both sides go on deciding: if both get transactions, their chains stay different' : '';
      return { text: `cut node ${list} off from the others${late}; serac testnet heal connects them again${risk}` };
    }
    case 'heal': {
      const healed = positions.length === 0 ? nodes.map((_, at) => at) : positions;
      for (const at of healed) testnet.heal(at);
      const isDone = await until(() => testnet.isPartitioned() && healed.every((at) => stateOf(at) === 'running'));
      const what = positions.length === 0 ? 'all nodes' : `node ${list}`;
      return { text: isDone ? `healed ${what}` : `${what} can start and connect again, but not all run yet` };
    }
  }
}
