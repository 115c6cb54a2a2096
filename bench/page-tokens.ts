import { dataRoutes } from '../src/api/data/routes.ts';
import { metricsApiRoutes } from '../src/api/metrics-api/routes.ts';
import { createParamContext } from '../src/api/rest/addresses.ts';
import { createPageSeal } from '../src/api/rest/page-token.ts';
import { compileRouteParams } from '../src/api/rest/params.ts';
import { readParams } from '../src/api/rest/read-params.ts';
import { bodyTexts, queryTexts } from '../src/api/rest/request-texts.ts';
import type { ApiRoute, PageCursor } from '../src/api/rest/route.ts';
import { createRouteTree, pathNames } from '../src/api/rest/route-tree.ts';
import { splitTarget } from '../src/app/platform/serve.ts';
import { localChainParams } from '../test/wallet-kit.ts';
import { BenchError } from './fault.ts';
import type { LoadCall } from './socket-load.ts';

/** Adds a page token for any page to a call, without fetching the pages before it. */
export type AddPageToken = (call: LoadCall, cursor: PageCursor) => LoadCall;

/** `secret`: the key that the measured server seals its page tokens with. */
export function createPageTokenAdder(secret: Uint8Array): AddPageToken {
  const seal = createPageSeal(secret, () => 0);
  // The server names the chain by its id in the key of a listing, however the path spells it.
  const context = createParamContext('local', 'fuji', () => localChainParams.blockchainID);
  const rows: ApiRoute<never>[] = [...dataRoutes(), ...metricsApiRoutes()];
  const tree = createRouteTree(rows, (row) => row);

  const listKeyOf = ({ path: target, body }: LoadCall): string => {
    const { path, query } = splitTarget(target);
    const found = tree.find(body === undefined ? 'GET' : 'POST', path);
    if (found === undefined || found === 'malformed') throw new BenchError(`no route for ${target}`);
    const { route: row, texts } = found;
    const names = pathNames(row.path);
    const inQuery = queryTexts(query);
    const inBody =
      body === undefined ? undefined : bodyTexts(Buffer.from(body), new Map(Object.keys(row.params).map((name) => [name, false])));
    const places = {
      path: (name: string) => [texts[names.indexOf(name)] as string],
      query: (name: string) => inQuery.get(name),
      body: (name: string) => inBody?.get(name),
    };
    return readParams(row.id, compileRouteParams(row), (place, name) => places[place](name), context).listKey();
  };

  return (call, cursor) => {
    const token = seal.seal(cursor, listKeyOf(call), Math.floor(Date.now() / 1000));
    return { ...call, path: `${call.path}${call.path.includes('?') ? '&' : '?'}pageToken=${token}` };
  };
}
