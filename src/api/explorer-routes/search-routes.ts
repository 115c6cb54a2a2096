import { SearchSchema } from '../contract/explorer-schemas.ts';
import { chainParams, chainPath, requireChain } from '../data/chain.ts';
import { apiError } from '../rest/api-error.ts';
import type { Param } from '../rest/param.ts';
import { queryText } from '../rest/params.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import type { ExplorerDeps } from './deps.ts';
import { search } from './search.ts';

const defineRoute = routeDefiner<ExplorerDeps>();

/** Characters of a search text: a transaction in hex with some thirty inputs fits, and so does a request line. */
const maxLength = 8192;

const searchText: Param<string> = {
  ...(queryText({ description: `At most ${maxLength} characters.` }) as Param<string>),
  required: true,
  read: ([text = ''], name) => {
    if (text.length > maxLength) throw apiError(400, `${name} must not be longer than ${maxLength} characters`);
    return text;
  },
};

export const searchRoutes: readonly ApiRoute<ExplorerDeps>[] = [
  defineRoute({
    method: 'GET',
    path: `${chainPath}/search`,
    id: 'search',
    tag: 'Explorer',
    summary: 'Finds what a text names',
    description:
      'A height; the ID of a block, transaction, asset or output; an address in any spelling; a node ID; the symbol or name of an asset; a transaction in hex. ' +
      'An ID or address with one wrong character gets didYouMean.',
    params: { ...chainParams, q: searchText },
    response: SearchSchema,
    cachePolicy: 'block-and-second',
    run: async (deps, { q, ...chainRef }) => search(deps, requireChain(deps.served, chainRef), chainRef, q),
  }),
];
