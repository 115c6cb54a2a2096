import type { Schema } from './schema.ts';

/**
 * One parameter of a route: how its texts are read and what the document says of it. `read` throws a `Refusal` with a sentence that names
 * the parameter, what it got and what it takes. Absent parameters give `absent`, or are refused if they are required.
 */
export type Param<T> = {
  readonly in: 'path' | 'query' | 'body';
  readonly schema: Schema;
  readonly required: boolean;
  readonly repeated?: true;
  readonly description?: string;
  readonly absent: T;
  readonly read: (texts: readonly string[], name: string) => T;
};

export type Params = { readonly [name: string]: Param<unknown> };
export type ValuesOf<P extends Params> = { readonly [N in keyof P]: P[N] extends Param<infer T> ? T : never };
