import { Fault } from '../../base/fault.ts';

type Node<R> = { readonly literals: Map<string, Node<R>>; parameter: Node<R> | undefined; readonly routes: Map<string, R> };

/**
 * A tree of path segments: the cost of a lookup does not depend on the number of routes. A literal segment has priority over a parameter.
 */
export function createRouteTree<R>(routes: readonly R[], describe: (route: R) => { readonly method: string; readonly path: string }) {
  const root = emptyNode<R>();
  for (const route of routes) {
    const { method, path } = describe(route);
    let node = root;
    for (const segment of path.slice(1).split('/')) node = childFor(node, segment);
    if (node.routes.has(method)) throw new RouteTreeError(`two routes for ${method} ${path}`, { code: 'API_ROUTE_TWICE', method, path });
    node.routes.set(method, route);
  }
  return {
    /** Returns the route of a method and path and the texts of its path parameters, in order; undefined if there is none. */
    find: (method: string, path: string): { readonly route: R; readonly texts: readonly string[] } | 'malformed' | undefined => {
      const segments = segmentsOf(path);
      if (segments === 'malformed') return segments;
      const texts: string[] = [];
      const route = descend(root, method, segments, 0, texts);
      return route === undefined ? undefined : { route, texts };
    },
  };
}

/** Names of the parameters of a path, in order. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

const emptyNode = <R>(): Node<R> => ({ literals: new Map(), parameter: undefined, routes: new Map() });

function childFor<R>(node: Node<R>, segment: string): Node<R> {
  if (/^\{\w+\}$/.test(segment)) {
    node.parameter ??= emptyNode();
    return node.parameter;
  }
  const child = node.literals.get(segment) ?? emptyNode<R>();
  node.literals.set(segment, child);
  return child;
}

/** The decoded segments of a path. A slash at the end is ignored. `malformed`: the path has bad percent-encoding. */
function segmentsOf(path: string): string[] | 'malformed' {
  const segments = path.slice(1).split('/', maxSegments);
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  if (!path.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return 'malformed';
  }
}

/** No route has more segments. */
const maxSegments = 16;

function descend<R>(node: Node<R>, method: string, segments: readonly string[], at: number, texts: string[]): R | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.routes.get(method);
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : descend(literal, method, segments, at + 1, texts);
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  texts.push(segment);
  const route = descend(node.parameter, method, segments, at + 1, texts);
  if (route === undefined) texts.pop();
  return route;
}

type RouteTreeFault = { code: 'API_ROUTE_TWICE'; method: string; path: string };
class RouteTreeError extends Fault<RouteTreeFault> {}
