/** A Prometheus metric family: all samples of one name. Plain data, so that processes can send it to each other. */
export type MetricFamily = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Suffix and labels that follow the name, with the value. */
  readonly samples: readonly Sample[];
};

export type Sample = readonly [series: string, value: number | bigint];

export type Labels = Readonly<Record<string, string>>;

/** Content type of the Prometheus text format, as AvalancheGo sends it. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Formats metrics as Prometheus text, families sorted by name. */
export function formatMetrics(families: readonly MetricFamily[]): string {
  return families
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(([series, value]) => `${name}${series} ${valueText(value)}\n`);
      return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

/** Adds up the metrics of several processes. Each has gauges of its own only: what describes the node as a whole is in one process, the writer. */
export function sumFamilies(processes: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const known = new Map<string, MetricFamily>();
  for (const family of processes.flat()) {
    const before = known.get(family.name);
    known.set(family.name, before === undefined ? family : { ...before, samples: sumSamples(before.samples, family.samples) });
  }
  return [...known.values()];
}

/** The metrics that a process leaves behind: a counter never falls, so that Prometheus does not take the end of a process for new events. */
export const endedFamilies = (families: readonly MetricFamily[]): MetricFamily[] => families.filter(({ type }) => type !== 'gauge');

/** Formats labels as `{endpoint="X",method="avm.getTx"}`; an empty string if there are none. */
export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function sumSamples(a: readonly Sample[], b: readonly Sample[]): Sample[] {
  const sums = new Map(a);
  for (const [series, value] of b) sums.set(series, Number(sums.get(series) ?? 0) + Number(value));
  return [...sums];
}

function valueText(value: number | bigint): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : value.toString();
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
