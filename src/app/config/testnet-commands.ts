import type { CommandDefinition } from './command-definition.ts';

/** The commands about a running testnet: what `serac testnet NODES` has started. */
export const testnetCommands = {
  'testnet kill': {
    kind: 'local',
    args: ['NODE'],
    help: 'end a node of a running testnet like a crash; it stays down until it is healed',
    examples: ['testnet kill 2'],
  },
  'testnet freeze': {
    kind: 'local',
    args: ['NODE'],
    help: 'stop the process of a node without ending it; its connections stay open and silent',
    examples: ['testnet freeze 2'],
  },
  'testnet partition': {
    kind: 'local',
    args: ['NODES'],
    help: 'cut these nodes off from the others',
    examples: ['testnet partition 1,2', 'testnet partition 3 --data-dir ~/testnet'],
  },
  'testnet latency': {
    kind: 'local',
    args: ['TIME', '[NODES]'],
    help: 'delay messages between these nodes, between one and all others, or between all; 0 ends that',
    examples: ['testnet latency 100ms 1,2', 'testnet latency 1s 3', 'testnet latency 0'],
  },
  'testnet heal': {
    kind: 'local',
    args: ['[NODE]'],
    help: 'start, wake and reconnect a node, or all nodes, and end delays',
    examples: ['testnet heal 2', 'testnet heal'],
  },
  'testnet add': {
    kind: 'local',
    args: [],
    help: 'start one more Serac node; in a network of Serac nodes it follows the validators, which are those from the start',
    examples: ['testnet add'],
  },
  'testnet remove': {
    kind: 'local',
    args: ['NODES'],
    help: 'end nodes in order; they do not come back, and their data stay until the testnet ends',
    examples: ['testnet remove 4'],
  },
  'testnet logs': {
    kind: 'local',
    args: ['NODE'],
    help: 'print the end of the log of a node',
    examples: ['testnet logs 2', 'testnet logs 2 --follow --lines 20'],
  },
} as const satisfies { readonly [name: string]: CommandDefinition };
