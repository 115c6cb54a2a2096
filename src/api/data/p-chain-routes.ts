import { pChainRows } from '../contract/data-routes.ts';
import { implementRoutes } from '../rest/route.ts';
import { noPChainData, requireNetwork } from './chain.ts';
import type { DataDeps } from './deps.ts';

const refuse = async ({ served }: DataDeps, { network }: { readonly network: string }): Promise<never> => {
  requireNetwork(served, network);
  throw noPChainData();
};

export const pChainRoutes = implementRoutes<DataDeps>()(pChainRows, Object.fromEntries(Object.keys(pChainRows).map((id) => [id, refuse])));
