import { ownText } from '../bytes/own-text.ts';
import { Fault } from '../fault.ts';
import type { HttpRequest } from '../http/message.ts';
import type { ParamContext } from './param.ts';
import { type Asked, readParams } from './read-params.ts';
import { invalid, notFound, refuse } from './refusal.ts';
import { bodyTexts, bodyTooLarge, maxBody, queryTexts } from './request-texts.ts';
import type { Route } from './route.ts';
import { createRouteTree, pathNames } from './route-tree.ts';

/** What a request leads to: a row, and what it asks of it once its parameters are read. */
export type Lead<R> = { readonly target: R; readonly asked: (request: HttpRequest) => Asked | Promise<Asked> };

/**
 * Finds rows and reads parameters. Both depend on nothing but the texts of the request, and the same are sent again and again, so what was
 * made of the last ones is remembered. Throws a `Refusal` if there is no such row.
 */
export function createRequestReader<R>(
  rows: readonly R[],
  routeOf: (row: R) => Route<unknown>,
  context: ParamContext,
): (request: HttpRequest) => Lead<R> {
  const tree = createRouteTree(rows, routeOf);
  const known = new Map<string, Lead<R>>();
  let bytes = 0;

  const lead = (method: string, { method: shown, path, query }: Pick<HttpRequest, 'method' | 'path' | 'query'>): Lead<R> => {
    const found = tree.find(method, path);
    if (found === undefined) throw notFound(`Cannot ${shown.slice(0, 20)} ${path.slice(0, 200)}`);
    const { id, params, path: pattern } = routeOf(found.row);
    const inPath = new Map(pathNames(pattern).map((name, at) => [name, [found.texts[at] as string]]));
    const read = (inBody?: Texts): Asked => {
      const places = { path: inPath, query: queryTexts(query), body: inBody };
      return readParams(id, params, (place, name) => places[place]?.get(name), context);
    };
    if (method === 'POST') {
      const names = new Set(Object.keys(params).filter((name) => params[name]?.in === 'body'));
      return { target: found.row, asked: async (request) => read(bodyTexts(await bodyOf(request), names)) };
    }
    let asked: Asked | undefined;
    return {
      target: found.row,
      asked: () => {
        asked ??= read();
        return asked;
      },
    };
  };

  return (request) => {
    // The server sends no body for HEAD, whatever the handler gave.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (method !== 'GET' || request.path.length + request.query.length > longestKnown) return lead(method, request);
    const key = `${request.path}?${request.query}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    // Path and query are pieces of a URL that may hold much more; what is cached must not keep all of it.
    const made = lead(method, { method: request.method, path: ownText(request.path), query: ownText(request.query) });
    const size = key.length * 4 + leadSize;
    if (bytes + size > maxKnown) {
      known.clear();
      bytes = 0;
    }
    known.set(ownText(key), made);
    bytes += size;
    return made;
  };
}

type Texts = ReadonlyMap<string, readonly string[]>;

/** Bytes of everything that is cached, and of one entry beside its texts, roughly. */
const maxKnown = 16_777_216;
const leadSize = 1024;

/** Characters of a request that is cached: 64 addresses fit. */
const longestKnown = 4096;

async function bodyOf(request: HttpRequest): Promise<Uint8Array> {
  try {
    return await request.body(maxBody);
  } catch (error) {
    if (error instanceof Fault && error.fault.code === 'BODY_TOO_LARGE') throw bodyTooLarge();
    if (error instanceof Fault && error.fault.code === 'BODY_OVER_BUDGET') throw refuse(503, error.message);
    throw invalid(['body could not be read']);
  }
}
