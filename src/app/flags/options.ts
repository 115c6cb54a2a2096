import type { FlagDefinition } from './flag-definition.ts';
import type { flagTable } from './flag-table.ts';
import type { FlagValues } from './flag-value.ts';

/** The value of every flag of the table, by flag name. */
export type Options = { readonly [N in keyof typeof flagTable]: ValueOf<(typeof flagTable)[N]> };

type ValueOf<R extends FlagDefinition> =
  | (R extends { allowed: readonly (infer A)[] } ? A : FlagValues[R['kind']])
  | (R extends { default: string } ? never : undefined);
