import { buildOpenRpc } from '../../api/contract/openrpc.ts';
import type { HttpRoute } from '../../api/http/router.ts';
import { documentHandler } from '../../api/rest/document-handler.ts';
import { openApiPath } from './api.ts';

/** The path of the OpenRPC document. */
const openRpcPath = '/openrpc-json';

/** Adds a document of the Node RPC methods to the routes of a port that has an API reference and any method. */
export function withOpenRpc(routes: Map<string, HttpRoute>, version: string): Map<string, HttpRoute> {
  const isServed = (path: string, method: string): boolean => {
    const route = routes.get(path);
    // A reader process passes some paths to the writer as they are.
    return route !== undefined && (!('services' in route) || route.services.methods.has(method));
  };
  const hasMethods = [...routes.keys()].some((path) => path.startsWith('/ext/bc/') || path === '/ext/info');
  if (!routes.has(openApiPath) || !hasMethods) return routes;
  return routes.set(openRpcPath, { handler: documentHandler((origin) => buildOpenRpc(version, origin, isServed)) });
}
