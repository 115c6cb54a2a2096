import type { FlagGroup, FlagKind } from '../app/config/flag-definition.ts';
import type { flagTable } from '../app/config/flag-table.ts';
import { Fault } from '../base/fault.ts';
import type { LineLevel, LogLevel } from '../base/log/log.ts';

type Flags = typeof flagTable;

/** Flags that a node inside another program does not have: it starts no processes, and `listen` chooses the port. */
export const excludedFlags = ['workers', 'http-port', 'data-port', 'metrics-port'] as const;
/** Groups of flags that only the program `serac` has. */
export const excludedGroups = ['Program', 'Keys'] as const satisfies FlagGroup[];

type NodeFlag = {
  [N in keyof Flags]: N extends (typeof excludedFlags)[number]
    ? never
    : Flags[N] extends { group: (typeof excludedGroups)[number] }
      ? never
      : Flags[N] extends { commands: readonly (infer C)[] }
        ? 'dev' extends C
          ? N
          : 'server' extends C
            ? N
            : never
        : N;
}[keyof Flags];

type CamelCase<T extends string> = T extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : T;

/** What an option takes, by the kind of its flag. A duration is Go's text, such as `1s`. */
type OptionValues = {
  boolean: boolean;
  integer: number;
  number: number;
  u64: bigint | number;
  list: readonly string[];
  network: string | number;
  avax: string | number;
  seconds: string | number;
} & { [K in Exclude<FlagKind, 'boolean' | 'integer' | 'number' | 'u64' | 'list' | 'network' | 'avax' | 'seconds'>]: string };

/** The flags of `serac help flags` that concern the node, in camel case (`minBlockDelay: '1s'`), and where its log goes. */
export type NodeOptions = {
  readonly [N in NodeFlag as CamelCase<N>]?: OptionValues[Flags[N]['kind']] | undefined;
} & {
  /** Which lines are logged; default `warn`. */
  readonly logLevel?: LogLevel | undefined;
  /** Receives log lines; by default they are written to stderr. */
  readonly log?: ((line: string, level: LineLevel) => void) | undefined;
};

export type OptionFault = { code: 'OPTION_INVALID' } | { code: 'OPTION_UNKNOWN'; option: string; didYouMean?: string };
/** An option of `createNode` that does not exist or has a value that is not allowed. */
export class OptionError extends Fault<OptionFault> {}
