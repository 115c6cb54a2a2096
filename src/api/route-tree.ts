import { Fault } from '../fault.ts';

/** What a path leads to: rows by method, and the texts of the path's parameters in their order. */
export type RouteTree<R> = {
  /** Undefined: no such path, or not for this method. Throws a `RouteTreeError` if the path is not well encoded. */
  readonly find: (method: string, path: string) => { readonly row: R; readonly texts: readonly string[] } | undefined;
};

type Node<R> = { readonly words: Map<string, Node<R>>; any: Node<R> | undefined; readonly rows: Map<string, R> };

/** Rows by their paths, segment by segment: finding one costs the same however many there are. A literal segment goes before a parameter. */
export function createRouteTree<R>(
  rows: readonly R[],
  placeOf: (row: R) => { readonly method: string; readonly path: string },
): RouteTree<R> {
  const root = emptyNode<R>();
  for (const row of rows) {
    const { method, path } = placeOf(row);
    let node = root;
    for (const segment of path.slice(1).split('/')) node = childFor(node, segment);
    if (node.rows.has(method)) throw new RouteTreeError(`two rows for ${method} ${path}`, { code: 'API_ROUTE_TWICE', method, path });
    node.rows.set(method, row);
  }
  return {
    find: (method, path) => {
      const segments = segmentsOf(path);
      const texts: string[] = [];
      const row = descend(root, method, segments, 0, texts);
      return row === undefined ? undefined : { row, texts };
    },
  };
}

/** Names of a path's parameters, in their order. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

const emptyNode = <R>(): Node<R> => ({ words: new Map(), any: undefined, rows: new Map() });

function childFor<R>(node: Node<R>, segment: string): Node<R> {
  if (/^\{\w+\}$/.test(segment)) {
    node.any ??= emptyNode();
    return node.any;
  }
  const child = node.words.get(segment) ?? emptyNode<R>();
  node.words.set(segment, child);
  return child;
}

/** The parts of a path, decoded; a slash at the end does not count. */
function segmentsOf(path: string): string[] {
  const segments = path.slice(1).split('/', maxSegments);
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  if (!path.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    throw new RouteTreeError('path is not well encoded', { code: 'API_PATH_MALFORMED' });
  }
}

/** No row is deeper. */
const maxSegments = 16;

function descend<R>(node: Node<R>, method: string, segments: readonly string[], at: number, texts: string[]): R | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.rows.get(method);
  const literal = node.words.get(segment);
  const found = literal === undefined ? undefined : descend(literal, method, segments, at + 1, texts);
  if (found !== undefined || node.any === undefined || segment === '') return found;
  texts.push(segment);
  const row = descend(node.any, method, segments, at + 1, texts);
  if (row === undefined) texts.pop();
  return row;
}

export type RouteTreeFault = { code: 'API_ROUTE_TWICE'; method: string; path: string } | { code: 'API_PATH_MALFORMED' };
export class RouteTreeError extends Fault<RouteTreeFault> {}
