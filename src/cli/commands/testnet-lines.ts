import { describeHealth, describeNode, describeStatus, type NodeStatus, type NodeUsage, type TestnetNode } from '../testnet/node-status.ts';
import { formatTable } from './table.ts';

/** What is shown of a node. */
export type NodeRow = { readonly node: TestnetNode; readonly status: NodeStatus; readonly usage: NodeUsage | undefined };

/** A change as one line for a person. */
export const formatChange = ({ node: { number, kind }, status, usage }: NodeRow, time: string): string =>
  `${time}  node ${number} (${kind}): ${describeStatus(status)}${usage === undefined ? '' : `, ${formatCpu(usage)} CPU, ${formatMemory(usage)}`}`;

/** A change as one line of JSON. Heights are strings. */
export function formatChangeJson({ node: { number }, status, usage }: NodeRow, pid: number | undefined, time: string): string {
  const { failing: _, ...facts } = status.state === 'running' ? status : { ...status, failing: undefined };
  return JSON.stringify({
    event: 'node',
    time,
    level: 'info',
    node: number,
    pid: pid ?? null,
    ...facts,
    ...(status.state === 'running' && { height: `${status.height}`, health: describeHealth(status) }),
    ...usage,
  });
}

/** The first line of JSON output: all nodes. */
export const formatNodesJson = (nodes: readonly TestnetNode[], folder: string): string =>
  JSON.stringify({ name: 'serac testnet', folder, nodes: nodes.map(describeNode) });

/** The table at the bottom of the terminal, cut to its size: a row for each node. */
export function formatNodes(rows: readonly NodeRow[], columns: number, lines: number): string {
  const table = formatTable(
    ['NODE', 'PROGRAM', 'HEIGHT', 'PEERS', 'CPU', 'MEMORY', 'HEALTH'],
    rows.map(formatRow),
    new Set([0, 2, 3, 4, 5]),
  );
  const shown = table.length <= lines ? table : [...table.slice(0, lines - 1), `… ${table.length - lines + 1} more nodes`];
  return shown.map((line) => line.slice(0, columns)).join('\n');
}

function formatRow({ node: { number, kind }, status, usage }: NodeRow): string[] {
  const cells = [`${number}`, kind];
  const used = usage === undefined ? ['–', '–'] : [formatCpu(usage), formatMemory(usage)];
  if (status.state !== 'running') return [...cells, '–', '–', ...used, describeStatus(status)];
  const [reason] = status.isBootstrapped ? [...status.failing].map(([name, error]) => `${name}: ${error}`) : [];
  return [...cells, `${status.height}`, `${status.peers}`, ...used, reason ?? describeHealth(status)];
}

const formatCpu = ({ cpuPercent }: NodeUsage): string => `${Math.round(cpuPercent)} %`;
const formatMemory = ({ residentBytes }: NodeUsage): string => `${Math.round(residentBytes / 1_000_000)} MB`;
