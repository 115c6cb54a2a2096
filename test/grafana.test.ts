import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** Compares the Grafana dashboard in docs/ and the alert rules in packaging/ with the metrics that started nodes export. */

type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Box;
  readonly targets?: { expr: string }[];
};
type Dashboard = { readonly panels: Panel[]; readonly templating: { readonly list: { name: string; definition?: string }[] } };

const path = fileURLToPath(new URL('../docs/grafana/serac.json', import.meta.url));
const dashboard = JSON.parse(readFileSync(path, 'utf8')) as Dashboard;
type AlertGroups = { readonly groups: { readonly rules: { readonly expr: string }[] }[] };
const alerts = Bun.YAML.parse(readFileSync('packaging/alerts.yml', 'utf8')) as AlertGroups;
const queries = [
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ definition }) => definition ?? []),
];

let node: Program;
let follower: Program;
let joined: Program;
/** The labels of each exported metric, by metric name. */
const exported = new Map<string, Set<string>>();

beforeAll(async () => {
  node = await startProgram();
  follower = await startProgram('follow', node.url, '--log-level=info');
  joined = await startProgram('join', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0');
  await node.client.call('/ext/bc/X', 'avm.getHeight');
  await node.client.send('GET', '/v1/avg_tps/X');
  const readMetrics = async ({ client }: Program): Promise<string> => (await client.send('GET', '/ext/metrics')).text;
  // The engine of a joined node starts after the start of the node.
  await eventually(
    () => readMetrics(joined),
    (text) => text.includes('avalanche_snowman_blks_processing{'),
  );
  const texts = await Promise.all([node, follower, joined].map(readMetrics));
  for (const [, name = '', labels = ''] of texts.join('').matchAll(/^([a-z]\w*)(?:\{(.*)\})? /gm)) {
    const known = exported.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    exported.set(name, known);
  }
});
afterAll(async () => {
  await Promise.all([joined.stop(), follower.stop(), node.stop()]);
});

/** The metric names in a query; they begin with `serac_`, `avalanche_` or `process_`. */
const metricNames = (query: string): string[] => query.match(/\b(?:serac|avalanche|process)_\w+/g) ?? [];

test('every metric of dashboard and alert rules is exported', () => {
  const names = new Set(queries.flatMap(metricNames));
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !exported.has(name))).toEqual([]);
});

test('every label in a query is exported; the scraper adds instance and job', () => {
  for (const query of queries) {
    const selected = [...query.matchAll(/[{,]\s*(\w+)(?:=~|!~|=|!=)"/g)].map(([, label = '']) => label);
    const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
    const shown = query.match(/^label_values\(\w+, (\w+)\)$/)?.slice(1) ?? [];
    const known = new Set(['instance', 'job', ...metricNames(query).flatMap((name) => [...(exported.get(name) ?? [])])]);
    expect({ query, unknown: [...selected, ...grouped, ...shown].filter((label) => !known.has(label)) }).toEqual({ query, unknown: [] });
  }
});

test('every variable in a query is defined by the dashboard or built into Grafana', () => {
  const known = new Set([...dashboard.templating.list.map(({ name }) => name), '__rate_interval']);
  const used = queries.flatMap((query) => [...query.matchAll(/\$(\w+)/g)].map(([, name = '']) => name));
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

test('panels have unique IDs and do not overlap', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const overlaps = ({ gridPos: a }: Panel, { gridPos: b }: Panel) =>
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  for (const [i, panel] of panels.entries()) {
    expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
    expect(panels.slice(i + 1).filter((other) => overlaps(panel, other))).toEqual([]);
  }
});
