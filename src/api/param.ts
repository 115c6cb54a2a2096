import type { Address } from '../bytes/address.ts';
import type { Schema } from './schema.ts';

/**
 * One parameter of a route: how its texts are read and what the document says of it. `read` throws a `Refusal` with a sentence that names
 * the parameter and what it takes. Absent parameters give `absent`, or are refused if they are required.
 * Without `repeated` there is always exactly one text.
 */
export type Param<T> = {
  readonly in: 'path' | 'query' | 'body';
  readonly schema: Schema;
  readonly required: boolean;
  readonly repeated?: true;
  readonly description?: string;
  readonly absent: T;
  readonly read: (texts: readonly string[], name: string, context: ParamContext) => T;
  /** What of a value decides which list is asked for; without it the value itself. Different spellings of one thing give the same. */
  listKey?(value: T, context: ParamContext): unknown;
};

/** What reading a parameter may depend on beside its text; the same for all requests. */
export type ParamContext = {
  /** An address of the served network, in any of its spellings, and what it begins with; undefined if it is none. */
  readonly address: (text: string) => { readonly address: Address; readonly hrp: string } | undefined;
  /** What addresses of the network begin with. A private network also takes those of the network it has for an alias. */
  readonly hrps: readonly [string, ...string[]];
  /** One name for all names of a chain; a name that is none stays as it is. */
  readonly chain: (name: string) => string;
};

export type Params = { readonly [name: string]: Param<unknown> };
export type ValuesOf<P extends Params> = { readonly [N in keyof P]: P[N] extends Param<infer T> ? T : never };
