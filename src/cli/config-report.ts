import type { FlagDefinition } from '../app/config/flag-definition.ts';
import { type FlagInputs, findNearestFlag } from '../app/config/flag-source.ts';
import { flagTable, type Options, secretFlags } from '../app/config/flag-table.ts';

/** The value of a flag and where it comes from. */
type ConfigRow = {
  readonly flag: string;
  readonly value: unknown;
  /** The value as it would be typed; empty if it is not set. */
  readonly text: string;
  readonly source: string;
};

/** The value of every flag that runs a node, with its source: a flag, an environment variable, the config file or the default. */
export const listConfig = (options: Options, given: FlagInputs): ConfigRow[] =>
  (Object.entries(flagTable) as [keyof Options, FlagDefinition][])
    .filter(([, { group }]) => group !== 'Client' && group !== 'Keys')
    .map(([flag, row]) => {
      const typed = given.get(flag)?.texts.join(',') ?? row.default;
      return {
        flag,
        value: showValue(flag, options[flag]),
        text: typed === undefined ? '' : String(showValue(flag, typed)),
        source: given.get(flag)?.source ?? 'default',
      };
    });

/** As JSON: an object of flag names, each with value and source. Keys of the config file that are not flags are marked as unknown. */
export const formatConfigJson = (rows: readonly ConfigRow[], unknownKeys: readonly string[]): string =>
  JSON.stringify(
    Object.fromEntries([
      ...rows.map(({ flag, value, source }) => [flag, { value: value ?? null, source }] as const),
      ...unknownKeys.map((key) => [key, { value: null, source: 'config file', unknown: true }] as const),
    ]),
  );

/** As a table; values that were set come first. */
export function formatConfig(rows: readonly ConfigRow[], unknownKeys: readonly string[]): string[] {
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const line = ({ flag, text, source }: ConfigRow): string =>
    `${flag.padEnd(width)}  ${text === '' ? '-' : text}${source === 'default' ? '' : `  (${source})`}`;
  const isSet = ({ source }: ConfigRow): boolean => source !== 'default';
  const set = rows.filter(isSet);
  const suggest = (nearest: string | undefined): string => (nearest === undefined ? '' : `; did you mean ${nearest}?`);
  const unknown = unknownKeys.map((key) => `  ${key}  (config file${suggest(findNearestFlag(key.toLowerCase(), 'config print'))})`);
  return [
    ...(unknown.length > 0 ? ['Unknown, without effect', ...unknown, ''] : []),
    ...(set.length > 0 ? ['Set', ...set.map((row) => `  ${line(row)}`), ''] : []),
    'Defaults',
    ...rows.filter((row) => !isSet(row)).map((row) => `  ${line(row)}`),
  ];
}

/** Parts of a query whose values are secrets, such as `?apikey=…`. */
const secretInQuery = /([?&](?:[\w-]*key|[\w-]*token|[\w-]*secret|pass(?:word|wd)?|auth\w*|sig(?:nature)?)=)[^&#,]*/gi;

/** A URL is shown without its password and without the keys in its query. */
function showValue(flag: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (secretFlags.has(flag)) return '(not shown)';
  if (typeof value === 'bigint') return value.toString();
  const kind = (flagTable as { [name: string]: FlagDefinition })[flag]?.kind;
  if (kind !== 'url' && kind !== 'urls' && kind !== 'database') return value;
  return Array.isArray(value) ? value.map(hideSecrets) : hideSecrets(String(value));
}

/** Of one URL, or of several separated by commas. A password may contain @; a user name without one is a token. */
const hideSecrets = (text: string): string =>
  text
    .replace(/(:\/\/[^/@:,]*):[^/?#]*@/g, '$1:…@')
    .replace(/(https?:\/\/)[^/?#@:,]+@/gi, '$1…@')
    .replace(secretInQuery, '$1…');
