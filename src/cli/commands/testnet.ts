import { rmSync } from 'node:fs';
import { createRpcClient } from '../../api/client/rpc-client.ts';
import type { FlagDefinition } from '../../app/config/flag-definition.ts';
import type { FlagInputs } from '../../app/config/flag-source.ts';
import { acceptsFlag, flagTable, type Options } from '../../app/config/flag-table.ts';
import { canPauseProcesses, fileSize, readEnd } from '../../app/platform/detached-process.ts';
import type { Env } from '../../app/platform/env.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { loadIdentity } from '../../network/identity/identity.ts';
import { carryOut } from '../testnet/carry-out.ts';
import { createTemporaryFolder, type Order, sendOrder, TestnetError, takeOrders } from '../testnet/control.ts';
import { arePortsFree, findFreePorts, startNodeProcess, stopWithParent } from '../testnet/node-process.ts';
import type { TestnetNode } from '../testnet/node-status.ts';
import { listFolders, planTestnet } from '../testnet/plan.ts';
import { readNode } from '../testnet/read-node.ts';
import { type NodeProcess, startTestnet, type Testnet, type TestnetDeps } from '../testnet/testnet.ts';
import { callDev } from './client-command.ts';
import { badArgument } from './fault.ts';

export type TestnetCommand = {
  readonly nodes: number;
  readonly options: Options;
  readonly given: FlagInputs;
  /** Runs this program: its file comes before the command. */
  readonly program: readonly string[];
  readonly onStatus: TestnetDeps['onStatus'];
};

export type RunningTestnet = Testnet & { readonly nodes: readonly TestnetNode[]; readonly folder: string; readonly isTemporary: boolean };

/** `serac testnet N`: plans the nodes, creates their staking keys if they have none, and starts them. */
export async function runTestnet(
  { nodes: seracNodes, options, given, program, onStatus }: TestnetCommand,
  env: Env,
): Promise<RunningTestnet> {
  const isTemporary = options['data-dir'] === undefined;
  const folder = options['data-dir'] ?? createTemporaryFolder(env.tempFolder());
  const avalancheGoNodes = options['avalanchego-nodes'];
  const sizes = { seracNodes, avalancheGoNodes, folder };
  const identityEnv = { files: env.files, unixSeconds: env.clock.unixSeconds, random: env.random };
  const nodeIDs = listFolders(sizes).map((dataDir) => loadIdentity({ dataDir }, identityEnv).nodeID);
  const nodes = planTestnet(
    {
      ...sizes,
      ports: await choosePorts(nodeIDs.length, given.has('http-port') ? options['http-port'] : undefined),
      seracFlags: passedFlags(given, (name, row) => acceptsFlag('join', row) && !ownFlags.has(name)),
      avalancheGoFlags: [
        '--fd-limit=16384',
        `--network-id=${options['network-id']}`,
        ...passedFlags(given, (name) => sharedFlags.has(name)),
      ],
      seracCommand: [...program, 'join', '--silent'],
      avalancheGoCommand: avalancheGoNodes === 0 ? [] : [...stopWithParent(), options.avalanchego ?? ''],
    },
    nodeIDs,
  );
  const testnet = startTestnet(nodes, {
    spawn: ({ command, folder: dataDir, kind }) => startLogged(command, dataDir, `${dataDir}/${kind.toLowerCase()}.log`),
    read: (node) => readNode(env.fetch as typeof fetch, node),
    block: (node, others) => blockPeers(env, node, others),
    timers: env.timers,
    now: env.clock.monotonic,
    random: () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32,
    onStatus,
  });
  const stopOrders = await takeOrders(folder, (order) => carryOut(order, testnet, nodes, (ms) => sleep(env.timers, ms)));
  return {
    ...testnet,
    nodes,
    folder,
    isTemporary,
    close: async () => {
      stopOrders();
      await testnet.close();
      if (isTemporary) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a node; if it fails, the last line of its log says why. */
async function startLogged(command: readonly string[], folder: string, logFile: string): Promise<NodeProcess> {
  const logStart = fileSize(logFile);
  const started = await startNodeProcess(command, folder, logFile);
  const explain = (exit: string): string => {
    const last = /^exit code [1-9]/.test(exit) ? readEnd(logFile, logStart, maxShownLog).text.trim().split('\n').at(-1) : undefined;
    return last ? `${exit}: ${last}` : exit;
  };
  return { ...started, exited: started.exited.then(explain) };
}

const maxShownLog = 500;

/** Tells a Serac node which peers to refuse. */
async function blockPeers(env: Env, { url }: TestnetNode, others: readonly TestnetNode[]): Promise<void> {
  const client = createRpcClient({ url, fetch: env.fetch as typeof fetch, timeout: blockTimeout });
  await callDev(client, 'blockPeers', { nodeIDs: others.map(({ nodeID }) => nodeID) });
}

/** Milliseconds. */
const blockTimeout = 2000;

/** `serac testnet kill|freeze|partition|heal`: returns the line that says what was done. */
export function orderTestnet(kind: Order['kind'], [text = '']: readonly string[], options: Options, env: Env): Promise<string> {
  const words = text === '' ? [] : text.split(',');
  const bad = words.find((word) => !/^[1-9]\d{0,2}$/.test(word));
  if (bad !== undefined) throw badArgument(bad, `${JSON.stringify(bad)} is not the number of a node; several are separated by commas: 1,2`);
  if (kind === 'freeze' && !canPauseProcesses) {
    const reason = 'Windows cannot stop a process for a while; use serac testnet kill';
    throw new TestnetError(reason, { code: 'TESTNET_REFUSED', reason });
  }
  return sendOrder({ kind, nodes: words.map(Number) }, options['data-dir'], env.tempFolder());
}

/** The first port of a network of which none is given: that of a single node, which `serac send` and the like ask. */
const firstPort = 9650;

/** Two ports per node from a first one on; free ones if it is 0, or if none is given and those from 9650 on are taken. */
async function choosePorts(count: number, given: number | undefined): Promise<(readonly [number, number])[]> {
  const from = (first: number): number[] => Array.from({ length: 2 * count }, (_, i) => first + i);
  const isFree = given === undefined && (await arePortsFree(from(firstPort)));
  const all = given ? from(given) : isFree ? from(firstPort) : await findFreePorts(2 * count);
  return Array.from({ length: count }, (_, i) => [all[2 * i] as number, all[2 * i + 1] as number]);
}

/** Flags that are passed on to nodes, as they were given. */
function passedFlags(given: FlagInputs, isPassed: (name: string, row: FlagDefinition) => boolean): string[] {
  return [...given].flatMap(([name, { texts }]) => {
    const row = (flagTable as { readonly [name: string]: FlagDefinition })[name];
    const spelled = avalancheGoNames[name] ?? name;
    return row !== undefined && isPassed(name, row) ? [`--${spelled}=${texts.join(',')}`] : [];
  });
}

/** Names that AvalancheGo and Serac both know. */
const avalancheGoNames: { readonly [name: string]: string } = { 'min-block-delay': 'proposervm-min-block-delay' };

/** Flags that `serac testnet` sets for each node, or that concern only itself. */
const ownFlags: ReadonlySet<string> = new Set([
  'sybil-protection-enabled',
  'data-dir',
  'db-type',
  'http-host',
  'http-port',
  'staking-host',
  'public-ip',
  'echo-other-chains',
  'dev-methods',
  'json',
  'silent',
  'detach',
  'wait',
  'wait-timeout',
  'log-file',
  'process-context-file',
  'config-file',
  'config-file-content',
  'config-file-content-type',
]);

/** Flags that AvalancheGo nodes get too. */
const sharedFlags: ReadonlySet<string> = new Set([
  'genesis-file',
  'genesis-file-content',
  'tx-fee',
  'create-asset-tx-fee',
  'min-block-delay',
  'snow-sample-size',
  'snow-quorum-size',
  'snow-preference-quorum-size',
  'snow-confidence-quorum-size',
  'snow-commit-threshold',
  'snow-concurrent-repolls',
  'log-level',
]);
