import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRpcClient } from '../../api/client/rpc-client.ts';
import { maxPeerDelay } from '../../api/contract/dev-chain-methods.ts';
import type { FlagDefinition } from '../../app/config/flag-definition.ts';
import { FlagError, type FlagInputs } from '../../app/config/flag-source.ts';
import { acceptsFlag, flagTable, type Options } from '../../app/config/flag-table.ts';
import { parseDuration } from '../../app/config/flag-value.ts';
import { canPauseProcesses, fileSize, readEnd } from '../../app/platform/detached-process.ts';
import type { Env } from '../../app/platform/env.ts';
import { readProcessUsage } from '../../app/platform/process-usage.ts';
import {
  createTemporaryFolder,
  findTestnet,
  type Order,
  sendOrder,
  TestnetError,
  takeOrders,
} from '../../app/processes/testnet-control.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { loadIdentity } from '../../network/identity/identity.ts';
import { carryOut } from '../testnet/carry-out.ts';
import { arePortsFree, findFreePorts, startNodeProcess, stopWithParent } from '../testnet/node-process.ts';
import { logNames, type NodeUsage, type TestnetNode } from '../testnet/node-status.ts';
import { folderOf, planAdded, planTestnet, type TestnetOptions } from '../testnet/plan.ts';
import { readNode } from '../testnet/read-node.ts';
import { type NodeLinks, type NodeProcess, startTestnet, type Testnet, type TestnetDeps } from '../testnet/testnet.ts';
import { planUpgrades } from '../testnet/upgrade-plan.ts';
import { createUsageSampler } from '../testnet/usage-sampler.ts';
import { callDev } from './client-command.ts';
import { printLog } from './detached-node.ts';
import { badArgument } from './fault.ts';

export type TestnetCommand = {
  readonly nodes: number;
  readonly options: Options;
  readonly given: FlagInputs;
  /** Runs this program: its file comes before the command. */
  readonly program: readonly string[];
  readonly onStatus: TestnetDeps['onStatus'];
};

export type RunningTestnet = Testnet & {
  readonly folder: string;
  readonly isTemporary: boolean;
  /** What the process of a node uses; undefined while it does not run. */
  readonly usageOf: (number: number) => NodeUsage | undefined;
};

/** `serac testnet N`: plans the nodes, creates their staking keys if they have none, and starts them. */
export async function runTestnet(
  { nodes: seracNodes, options, given, program, onStatus }: TestnetCommand,
  env: Env,
): Promise<RunningTestnet> {
  const isTemporary = options['data-dir'] === undefined;
  const folder = options['data-dir'] ?? createTemporaryFolder(env.tempFolder());
  const avalancheGoNodes = options['avalanchego-nodes'];
  const identityEnv = { files: env.files, unixSeconds: env.clock.unixSeconds, random: env.random };
  const createIdentity = (number: number): string => loadIdentity({ dataDir: folderOf(folder, number) }, identityEnv).nodeID;
  const nodeIDs = Array.from({ length: seracNodes + avalancheGoNodes }, (_, i) => createIdentity(i + 1));
  const upgradeFlags = scheduleUpgrades(folder, options['upgrade-at'], env);
  const plan: TestnetOptions = {
    seracNodes,
    avalancheGoNodes,
    folder,
    ports: await choosePorts(nodeIDs.length, given.has('http-port') ? options['http-port'] : undefined),
    seracFlags: [...upgradeFlags, ...passedFlags(given, (name, row) => acceptsFlag('join', row) && !ownFlags.has(name))],
    avalancheGoFlags: [
      '--fd-limit=16384',
      `--network-id=${options['network-id']}`,
      ...upgradeFlags,
      ...passedFlags(given, (name) => sharedFlags.has(name)),
    ],
    seracCommand: [...program, 'join', '--silent'],
    avalancheGoCommand: avalancheGoNodes === 0 ? [] : [...stopWithParent(), options.avalanchego ?? ''],
  };
  const testnet = startTestnet(planTestnet(plan, nodeIDs), {
    spawn: ({ command, folder: dataDir, kind }) => startLogged(command, dataDir, `${dataDir}/${logNames[kind]}`),
    read: (node) => readNode(env.fetch as typeof fetch, node),
    link: (node, wanted, before) => linkPeers(env, node, wanted, before),
    timers: env.timers,
    now: env.clock.monotonic,
    random: () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32,
    onStatus,
  });
  const planNode = async (number: number): Promise<TestnetNode> => {
    const [http = 0, staking = 0] = await findFreePorts(2);
    return planAdded(plan, { number, kind: 'Serac', nodeID: createIdentity(number), ports: [http, staking] }, testnet.nodes(), nodeIDs);
  };
  const listPids = (): number[] => testnet.nodes().flatMap(({ number }) => testnet.pidOf(number) ?? []);
  const usage = createUsageSampler(listPids, readProcessUsage, { timers: env.timers, now: env.clock.monotonic });
  const pause = (ms: number): Promise<void> => sleep(env.timers, ms);
  const stopOrders = await takeOrders(folder, (order) => carryOut(order, { testnet, pause, planNode }));
  return {
    ...testnet,
    folder,
    isTemporary,
    usageOf: (number) => usage.usageOf(testnet.pidOf(number)),
    close: async () => {
      stopOrders();
      usage.stop();
      await testnet.close();
      if (isTemporary) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes the times of upgrades for all nodes. They stay with a folder that is kept: blocks of another schedule would be refused. */
function scheduleUpgrades(folder: string, texts: readonly string[] | undefined, env: Env): string[] {
  const file = `${folder}/upgrades.json`;
  if (texts === undefined) return existsSync(file) ? [`--upgrade-file=${file}`] : [];
  if (existsSync(file))
    throw new FlagError(`--upgrade-at: the upgrades of this testnet are already scheduled in ${file}; leave the flag out`, {
      code: 'FLAG_CLASH',
      flag: 'upgrade-at',
    });
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(planUpgrades(texts, Number(env.clock.unixSeconds()) * 1000), undefined, 2)}\n`);
  return [`--upgrade-file=${file}`];
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

/** Tells a Serac node which peers to refuse, and to which it sends later. */
async function linkPeers(env: Env, { url }: TestnetNode, { refused, delayed }: NodeLinks, before: NodeLinks): Promise<void> {
  const client = createRpcClient({ url, fetch: env.fetch as typeof fetch, timeout: linkTimeout });
  const idsOf = (nodes: Iterable<TestnetNode>): string[] => [...nodes].map(({ nodeID }) => nodeID);
  await callDev(client, 'blockPeers', { nodeIDs: idsOf(refused) });
  const ended = [...before.delayed.keys()].filter((node) => !delayed.has(node));
  if (ended.length > 0) await callDev(client, 'delayPeers', { nodeIDs: idsOf(ended), ms: 0 });
  for (const ms of new Set(delayed.values())) {
    const nodes = [...delayed].filter(([, delay]) => delay === ms).map(([node]) => node);
    await callDev(client, 'delayPeers', { nodeIDs: idsOf(nodes), ms });
  }
}

/** Milliseconds. */
const linkTimeout = 2000;

/** `serac testnet kill|freeze|partition|latency|heal|add|remove`: says what was done. */
export async function orderTestnet(kind: Order['kind'], args: readonly string[], options: Options, env: Env) {
  const [time, words] = kind === 'latency' ? [args[0], args[1]] : [undefined, args[0]];
  const milliseconds = time === undefined ? undefined : parseLatency(time);
  if (kind === 'freeze' && !canPauseProcesses) {
    const reason = 'Windows cannot stop a process for a while; use serac testnet kill';
    throw new TestnetError(reason, { code: 'TESTNET_REFUSED', reason });
  }
  return sendOrder({ kind, nodes: parseNodes(words), milliseconds }, options['data-dir'], env.tempFolder());
}

/** `serac testnet logs N`: prints the end of the log of a node, and with `--follow` what is added to it. */
export async function printTestnetLog(args: readonly string[], options: Options, print: (text: string) => void, env: Env): Promise<void> {
  const [number = 0, ...others] = parseNodes(args[0]);
  if (others.length > 0) throw badArgument(args[0] ?? '', 'name one node');
  const folder = folderOf(options['data-dir'] ?? (await findTestnet(env.tempFolder())), number);
  const files = Object.values(logNames).map((name) => `${folder}/${name}`);
  const file = files.find((path) => existsSync(path));
  if (file === undefined) throw badArgument(`${number}`, `there is no log of node ${number}: ${files.join(' or ')}`);
  await printLog(file, options, print, env);
}

/** The numbers of nodes, separated by commas. */
function parseNodes(text = ''): number[] {
  const words = text === '' ? [] : text.split(',');
  const bad = words.find((word) => !/^[1-9]\d{0,2}$/.test(word));
  if (bad !== undefined) throw badArgument(bad, `${JSON.stringify(bad)} is not the number of a node; several are separated by commas: 1,2`);
  return words.map(Number);
}

function parseLatency(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds > maxPeerDelay)
    throw badArgument(text, `${JSON.stringify(text)} is not a delay of at most ${maxPeerDelay / 1000}s, such as 100ms`);
  return Math.round(milliseconds);
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
  'upgrade-file',
  'upgrade-file-content',
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
