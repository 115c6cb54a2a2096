import { Fault } from '../fault.ts';
import type { Param, ParamContext, Params } from './param.ts';
import { invalid } from './refusal.ts';

/** What a request asks of its route. */
export type Asked = {
  readonly values: Readonly<Record<string, unknown>>;
  /** The route and all parameters but those of paging, as one text: what the answer depends on, spellings too. */
  readonly query: string;
  /** The route and what its parameters mean, as one text: two requests for the same list have the same, however they spell it. */
  readonly list: () => string;
  readonly pageSize: string;
  readonly pageToken: string | undefined;
};

/** Reads every parameter, or refuses with a sentence for each bad one. `textsOf` tells what the request has under a name. */
export function readParams(id: string, params: Params, textsOf: TextsOf, context: ParamContext): Asked {
  const values: Record<string, unknown> = {};
  const reasons: string[] = [];
  let query = id;
  for (const name in params) {
    const param = params[name] as Param<unknown>;
    const texts = textsOf(param.in, name);
    try {
      values[name] = readParam(param, texts, name, context);
    } catch (error) {
      if (!(error instanceof Fault) || error.fault.code !== 'API_REFUSED') throw error;
      reasons.push(error.message);
    }
    if (texts !== undefined && !paging.has(name)) query += `\n${name}=${JSON.stringify(texts)}`;
  }
  if (reasons.length > 0) throw invalid(reasons);
  let list: string | undefined;
  return {
    values,
    query,
    list: () => {
      list ??= listText(id, params, values, context);
      return list;
    },
    pageSize: String(values.pageSize),
    pageToken: values.pageToken as string | undefined,
  };
}

export type TextsOf = (place: Param<unknown>['in'], name: string) => readonly string[] | undefined;

/** An absent parameter has its default, and the order of several words says nothing. */
function listText(id: string, params: Params, values: Asked['values'], context: ParamContext): string {
  const keys = Object.entries(params).flatMap(([name, { listKey }]) => {
    if (paging.has(name)) return [];
    const key = listKey === undefined ? values[name] : listKey(values[name], context);
    return [[name, Array.isArray(key) ? key.toSorted() : key]];
  });
  return `${id}\n${JSON.stringify(keys, (_, value) => (typeof value === 'bigint' ? value.toString() : value))}`;
}

const paging: ReadonlySet<string> = new Set(['pageSize', 'pageToken']);

function readParam(param: Param<unknown>, texts: readonly string[] | undefined, name: string, context: ParamContext): unknown {
  if (texts === undefined) {
    if (param.required) throw invalid([`${name} must be given`]);
    return param.absent;
  }
  if (texts.length > 1 && param.repeated === undefined) throw invalid([`${name} must be given only once`]);
  return param.read(texts, name, context);
}
