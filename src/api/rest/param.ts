import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { JsonSchema } from '../contract/json-schema.ts';

/**
 * One parameter of a route, compiled from its row: how its text is read, and how it is documented. `read` throws an `ApiError` whose message names the parameter and
 * the values it takes. A missing parameter has the value `absent`, or is an error if it is required.
 * Without `repeated`, `read` always gets exactly one text.
 */
export type Param<T> = {
  readonly in: 'path' | 'query' | 'body';
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly repeated?: true;
  /** In the body: its text is JSON; otherwise a JSON string, whose characters are the text. */
  readonly isJson?: true;
  readonly description?: string;
  readonly absent: T;
  readonly read: (texts: readonly string[], name: string, context: ParamContext) => T;
  /**
   * The part of a value that decides which list is requested; the value itself if missing. It must be equal for different spellings of one
   * value.
   */
  listKey?(value: T, context: ParamContext): unknown;
};

/** What reading a parameter depends on in addition to its text. The same for all requests. */
export type ParamContext = {
  /** Reads an address of the served network in any of its spellings, with its HRP. Returns undefined if it is not such an address. */
  readonly address: (text: string) => { readonly address: Address; readonly hrp: string } | undefined;
  /** The HRPs of addresses of the network. A private network with an alias also accepts the HRP of the alias. */
  readonly hrps: readonly [string, ...string[]];
  /** The asset with an alias, where a route takes aliases. */
  readonly asset?: (alias: string) => Id | undefined;
  /** Maps all names of a chain to one. Returns an unknown name unchanged. */
  readonly chain: (name: string) => string;
};

export type Params = { readonly [name: string]: Param<unknown> };
