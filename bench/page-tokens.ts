import { createParamContext } from '../src/api/addresses.ts';
import { createPageSeal } from '../src/api/page-token.ts';
import { readParams } from '../src/api/read-params.ts';
import { bodyTexts, queryTexts } from '../src/api/request-texts.ts';
import type { ApiRoute, PageCursor } from '../src/api/route.ts';
import { createRouteTree, pathNames } from '../src/api/route-tree.ts';
import { dataRoutes } from '../src/data/routes.ts';
import { splitTarget } from '../src/platform/serve.ts';
import { statsRoutes } from '../src/stats/routes.ts';
import { BenchError } from './fault.ts';
import type { Call } from './socket-load.ts';

/** The same call for a page further on, as if its token had come with the page before: nobody has to walk there. */
export type TurnTo = (call: Call, cursor: PageCursor) => Call;

/** `secret`: what the server under measurement seals its tokens with. */
export function pageTurner(secret: Uint8Array): TurnTo {
  const seal = createPageSeal(secret, () => 0);
  const context = createParamContext('local');
  const rows: ApiRoute<never>[] = [...dataRoutes(), ...statsRoutes()];
  const tree = createRouteTree(rows, (row) => row);

  const queryOf = ({ path: target, body }: Call): string => {
    const { path, query } = splitTarget(target);
    const found = tree.find(body === undefined ? 'GET' : 'POST', path);
    if (found === undefined) throw new BenchError(`no route for ${target}`);
    const { route: row, texts } = found;
    const names = pathNames(row.path);
    const inQuery = queryTexts(query);
    const inBody = body === undefined ? undefined : bodyTexts(Buffer.from(body), new Set(Object.keys(row.params)));
    const places = {
      path: (name: string) => [texts[names.indexOf(name)] as string],
      query: (name: string) => inQuery.get(name),
      body: (name: string) => inBody?.get(name),
    };
    return readParams(row.id, row.params, (place, name) => places[place](name), context).responseKey;
  };

  return (call, cursor) => {
    const token = seal.seal(cursor, queryOf(call), Math.floor(Date.now() / 1000));
    return { ...call, path: `${call.path}${call.path.includes('?') ? '&' : '?'}pageToken=${token}` };
  };
}
