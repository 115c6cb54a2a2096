import { searchRows } from '../contract/explorer-routes.ts';
import { requireChain } from '../data/chain.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ExplorerDeps } from './deps.ts';
import { search } from './search.ts';

export const searchRoutes = implementRoutes<ExplorerDeps>()(searchRows, {
  search: async (deps, { q, ...chainRef }) => search(deps, requireChain(deps.served, chainRef), chainRef, q),
});
