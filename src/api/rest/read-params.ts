import { Fault } from '../../base/fault.ts';
import { invalidParams } from './api-error.ts';
import type { Param, ParamContext, Params } from './param.ts';

/** The parameters of a request. */
export type ParsedRequest = {
  readonly values: Readonly<Record<string, unknown>>;
  /** The route and all parameters except those of paging, with their exact spelling: everything the response depends on. */
  readonly responseKey: string;
  /** The route and the meaning of its parameters: equal for two requests for the same list, also if they are spelled differently. */
  readonly listKey: () => string;
  readonly pageSize: string;
  readonly pageToken: string | undefined;
};

/** Reads all parameters. Throws an `ApiError` with one sentence for each bad parameter. `findTexts` returns the texts of a parameter. */
export function readParams(id: string, params: Params, findTexts: FindTexts, context: ParamContext): ParsedRequest {
  const values: Record<string, unknown> = {};
  const reasons: string[] = [];
  let responseKey = id;
  for (const name in params) {
    const param = params[name] as Param<unknown>;
    const texts = findTexts(param.in, name);
    try {
      values[name] = readParam(param, texts, name, context);
    } catch (error) {
      if (!(error instanceof Fault) || error.fault.code !== 'API_REFUSED') throw error;
      reasons.push(error.message);
    }
    if (texts !== undefined && !pagingParams.has(name)) responseKey += `\n${name}=${JSON.stringify(texts)}`;
  }
  if (reasons.length > 0) throw invalidParams(reasons);
  let listKey: string | undefined;
  return {
    values,
    responseKey,
    listKey: () => {
      listKey ??= buildListKey(id, params, values, context);
      return listKey;
    },
    pageSize: String(values.pageSize),
    pageToken: values.pageToken as string | undefined,
  };
}

type FindTexts = (place: Param<unknown>['in'], name: string) => readonly string[] | undefined;

/** A missing parameter counts with its default value, and the order of several values is ignored. */
function buildListKey(id: string, params: Params, values: ParsedRequest['values'], context: ParamContext): string {
  const keys: [name: string, key: unknown][] = [];
  for (const name in params) {
    if (pagingParams.has(name)) continue;
    const { listKey } = params[name] as Param<unknown>;
    const key = listKey === undefined ? values[name] : listKey(values[name], context);
    keys.push([name, Array.isArray(key) ? key.toSorted() : key]);
  }
  return `${id}\n${JSON.stringify(keys, (_, value) => (typeof value === 'bigint' ? value.toString() : value))}`;
}

const pagingParams: ReadonlySet<string> = new Set(['pageSize', 'pageToken']);

function readParam(param: Param<unknown>, texts: readonly string[] | undefined, name: string, context: ParamContext): unknown {
  if (texts === undefined) {
    if (param.required) throw invalidParams([`${name} must be given`]);
    return param.absent;
  }
  if (texts.length > 1 && param.repeated === undefined) throw invalidParams([`${name} must be given only once`]);
  return param.read(texts, name, context);
}
