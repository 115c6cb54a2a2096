import type { Command } from '../../app/config/command.ts';
import type { Config, TerminalConfig } from '../../app/config/config.ts';
import type { FlagInputs } from '../../app/config/flag-source.ts';
import type { Options } from '../../app/config/flag-table.ts';
import type { Env } from '../../app/platform/env.ts';
import { getNetwork } from '../../avm/network.ts';
import { ewoqKey } from '../../avm/wallet/accounts.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import { formatStamp } from '../../base/log/log.ts';
import type { Screen } from '../terminal/screen.ts';
import { logNames, type TestnetNode } from '../testnet/node-status.ts';
import { formatTable } from './table.ts';
import { type RunningTestnet, runTestnet } from './testnet.ts';
import { formatChange, formatChangeJson, formatNodes, formatNodesJson, type NodeRow } from './testnet-lines.ts';

type TestnetFlags = { readonly command: Command; readonly options: Options; readonly given: FlagInputs };

/** Where and how the lines of the program are printed. */
type Output = {
  readonly screen: Screen;
  readonly isTerminal: boolean;
  readonly isJson: boolean;
  readonly times: { readonly text: () => string; readonly json: () => string };
  readonly printBanner: (config: TerminalConfig, json: string, text: string) => void;
};

type ProgramContext = {
  /** Runs this program: its file comes before the command. */
  readonly program: readonly string[];
  readonly version: string;
  readonly output: Output;
  readonly env: Env;
};

/** `serac testnet N`: runs the nodes, and prints what they are and what happens to them. */
export async function showTestnet(
  config: Config,
  { command, options, given }: TestnetFlags,
  { program, version, output, env }: ProgramContext,
): Promise<RunningTestnet> {
  const { screen, isTerminal, isJson, times } = output;
  const isShown = config.banner !== 'none';
  const testnet: RunningTestnet = await runTestnet(
    {
      nodes: Number(command.args[0]),
      options,
      given,
      program,
      onStatus: (node, status, pid) => {
        // The table of a terminal shows what nodes do that run.
        if (!isShown || (isTerminal && !isJson && status.state === 'running')) return;
        const row = { node, status, usage: testnet.usageOf(node.number) };
        const time = isTerminal ? times.text() : formatStamp('info', times.json()).trimEnd();
        screen.print(isJson ? formatChangeJson(row, pid, times.json()) : formatChange(row, time));
      },
    },
    env,
  );
  const hasOwnGenesis = !given.has('genesis-file') && !given.has('genesis-file-content');
  const info = { ...testnet, nodes: testnet.nodes(), version, networkID: options['network-id'], hasOwnGenesis };
  output.printBanner(config, formatNodesJson(testnet.nodes(), testnet.folder), formatTestnet(info));
  const listRows = (): NodeRow[] =>
    testnet.nodes().map((node) => ({
      node,
      status: testnet.statusOf(node.number) ?? { state: 'waiting' },
      usage: testnet.usageOf(node.number),
    }));
  screen.setStatus(config.banner === 'text' ? (columns, lines) => formatNodes(listRows(), columns, lines) : undefined);
  return testnet;
}

/** What the banner of a testnet tells. */
type TestnetInfo = {
  readonly version: string;
  readonly nodes: readonly TestnetNode[];
  readonly folder: string;
  /** Whether the folder is removed at the end. */
  readonly isTemporary: boolean;
  readonly networkID: number;
  /** Whether the genesis is the one of the network, which funds the publicly known key on `local`. */
  readonly hasOwnGenesis: boolean;
};

/** The URL that `serac send` and the like ask if none is given. */
const defaultUrl = 'http://127.0.0.1:9650';

/** What is printed at the start: the nodes, who has money, how to send, where logs and data are, and how to make faults. */
function formatTestnet({ version, nodes, folder, isTemporary, networkID, hasOwnGenesis }: TestnetInfo): string {
  const network = getNetwork(networkID);
  const first = nodes.find(({ kind }) => kind === 'Serac') as TestnetNode;
  const url = first.url === defaultUrl ? '' : ` --url ${first.url}`;
  const counts = (['Serac', 'AvalancheGo'] as const)
    .map((kind) => ({ kind, count: nodes.filter((node) => node.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind} node${count === 1 ? '' : 's'}`);
  const address = createAddressFormatter('X', network.hrp)(ewoqKey.address);
  const rows = [
    ...(hasOwnGenesis
      ? [
          ['Funded key', ewoqKey.text],
          ['', address],
        ]
      : []),
    ['Try', `serac send X-${network.hrp}1… 1.5${url}`],
    ['', `serac accounts|faucet|tail${url}`],
    ['Explorer', `${first.url}/, at every Serac node`],
    ['Faults', `serac testnet kill|freeze|partition|latency|heal${isTemporary ? '' : ` --data-dir ${folder}`}`],
    ['Logs', `serac testnet logs N, of ${folder}/node-N/${logNames.Serac}`],
    ['Data', isTemporary ? `${folder}, removed at the end; --data-dir DIR keeps it` : `kept in ${folder}`],
    ['Stop', 'Ctrl-C'],
  ] as const;
  return [
    `serac ${version}: a network of ${counts.join(' and ')} on this machine, network ${network.name} (${network.id})`,
    '',
    ...formatTable(
      ['NODE', 'PROGRAM', 'URL', 'PEERS AT', 'NODE ID'],
      nodes.map(({ number, kind, url, stakingAddress, nodeID }) => [`${number}`, kind, url, stakingAddress, nodeID]),
    ),
    '',
    ...rows.map(([label, text]) => `${label.padEnd(12)}${text}`),
  ].join('\n');
}
