import { flagNames } from './flag-help.ts';
import { flagTable } from './flag-table.ts';

/** The commands by purpose, several on a line; `serac help commands` explains each. */
const purposes: readonly (readonly [title: string, ...rows: readonly (readonly [commands: string, what: string])[]])[] = [
  [
    'Run a node or server',
    ['serac', "a developer's chain with funded accounts"],
    ['follow URL', 'the APIs of the X-Chain of a running node'],
    ['join', 'a node of a network, beside AvalancheGo'],
    ['testnet NODES', 'a network of nodes on this machine'],
    ['index URL, api', 'history in PostgreSQL, the APIs from it'],
  ],
  [
    'Use a running node (--url)',
    ['accounts, label, balance, faucet', 'funded accounts, names, funds'],
    ['send, export, deposit, import', 'money, also of other chains'],
    ['asset, nft, issue', 'assets, NFTs, signed transactions'],
    ['tx, block, address, utxo', 'what the chain has'],
    ['mine, reorg, reset, time', 'blocks and the clock'],
    ['snapshot, state, impersonate', 'go back, keep, spend without a key'],
    ['tail, watch, calls, webhooks', 'what happens, as it happens'],
    ['rpc, run, record, replay, mcp', 'any method, scripts, recordings, MCP'],
    ['doctor, peers', 'what is wrong with a node; its peers'],
  ],
  [
    'Look after it',
    ['check, reindex, backup, compact', 'a data directory'],
    ['keys', 'API keys'],
    ['status, stop, logs', 'a node in the background (--detach)'],
    ['config, completions, version, help', 'this program'],
  ],
];

/** The flags that most people use, in fewer words than in their rows. */
const usedMost: readonly (readonly [name: keyof typeof flagTable, what: string])[] = [
  ['http-port', 'port to listen on (9650)'],
  ['data-dir', 'keep the chain here; without it, in memory'],
  ['state', 'keep it in one file'],
  ['network-id', 'local, fuji, mainnet or a number'],
  ['accounts', 'funded accounts beside account 0 (10)'],
  ['block-time', 'a block every so many seconds'],
  ['fork-url', 'begin with what a live node has'],
  ['strict', 'answer exactly as AvalancheGo does'],
  ['detach', 'run in the background'],
  ['json', 'print JSON'],
];

/** The column of explanations. */
const whatColumn = 38;

const formatRow = (left: string, what: string): string => `  ${left}`.padEnd(whatColumn) + what;

/** The text of `serac --help` and `serac help`: what fits a screen. */
export const formatScreen = (): string =>
  [
    'serac: the Avalanche X-Chain as one program\nUsage: serac [COMMAND] [ARGUMENTS] [--flag value | --flag=value | --switch]…',
    ...purposes.map(([title, ...rows]) => [title, ...rows.map(([commands, what]) => formatRow(commands, what))].join('\n')),
    ['Flags used most', ...usedMost.map(([name, what]) => formatRow(flagNames(name, flagTable[name]), what))].join('\n'),
    'serac help COMMAND explains one; serac help commands and help flags list all.',
  ].join('\n\n') + '\n';
