import { readFileSync } from 'node:fs';

/** For tests: a request captured from AvalancheGo, and its response. */
export type GoldenCase = {
  readonly name: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseJSON?: unknown;
  readonly responseText?: string;
  /** JSON pointers to values that differ between nodes. */
  readonly volatile?: readonly string[];
};

type GoldenSection = 'atStartDefaultFrequency' | 'afterHealthy' | 'twoNodes' | 'fujiWithoutPeers';

export const readGolden = (): Readonly<Record<GoldenSection, readonly GoldenCase[]>> =>
  JSON.parse(readFileSync(new URL('../../../vectors/info-health.json', import.meta.url), 'utf8'));

/** JSON text with each volatile value replaced by its pointer, so that the rest can be compared, including the order of keys. */
export function maskVolatile(value: unknown, volatile: readonly string[] = []): string {
  const copy = structuredClone(value);
  for (const pointer of volatile) {
    const keys = pointer.split('/').slice(1);
    const last = keys.pop() ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: a path into JSON of any shape
    const parent = keys.reduce<any>((at, key) => at?.[key], copy);
    if (parent && last in parent) parent[last] = pointer;
  }
  return JSON.stringify(copy);
}
