/** Measurements of one name, ready to be written: plain data, so that processes can send them to each other. */
export type Family = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What follows the name (a suffix, labels in braces) and the value. */
  readonly samples: readonly Sample[];
};

export type Sample = readonly [series: string, value: number | bigint];

export type Labels = Readonly<Record<string, string>>;

/** What Prometheus, and the peer, call the text below. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** The Prometheus text format, families by name. */
export function expose(families: readonly Family[]): string {
  return families
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(([series, value]) => `${name}${series} ${valueText(value)}\n`);
      return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

/**
 * One view over several processes: what is counted is added up, what is measured is the first process's own
 * (a height has one truth, and the first is the one that writes).
 */
export function sumFamilies(processes: readonly (readonly Family[])[]): Family[] {
  const [first = [], ...others] = processes;
  const known = new Map(first.map((family) => [family.name, family]));
  for (const family of others.flat()) {
    const before = known.get(family.name);
    if (before === undefined) known.set(family.name, family);
    else if (family.type !== 'gauge') known.set(family.name, { ...before, samples: sumSamples(before.samples, family.samples) });
  }
  return [...known.values()];
}

/** `{endpoint="X",method="avm.getTx"}`, or nothing where there are no labels. */
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
