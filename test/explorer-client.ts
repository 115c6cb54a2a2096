import { expect } from 'bun:test';
import { findMismatches } from '../src/api/contract/schema-mismatches.fixture.ts';
import { explorerRoutes } from '../src/api/explorer-routes/routes.ts';
import type { Program } from './program.ts';

/** The path prefix of the routes. */
export const root = '/v1/networks/local/blockchains/x-chain';

// biome-ignore lint/suspicious/noExplicitAny: responses have the shape of the route, which is checked against its schema
export type Json = any;
export const routes = explorerRoutes({ hasLifecycle: true, hasMempool: true });
const routeOf = (path: string) => {
  const parts = (path.split('?', 1)[0] as string).split('/');
  const matches = (pattern: string) => {
    const wanted = pattern.split('/');
    return wanted.length === parts.length && wanted.every((part, i) => part.startsWith('{') || part === parts[i]);
  };
  return routes.find((route) => matches(route.path));
};
/** IDs of the routes that have answered with status 200. */
export const answeredRoutes = new Set<string>();

/** Gets an explorer route and checks the response against its schema. */
export const getFrom = async ({ client }: Pick<Program, 'client'>, path: string): Promise<{ status: number; json: Json }> => {
  const { status, text } = await client.send('GET', `${root}/${path}`);
  const json = JSON.parse(text);
  const route = routeOf(`${root}/${path}`);
  if (status === 200 && route !== undefined) {
    expect(findMismatches(route.response, json, { strict: true })).toEqual([]);
    answeredRoutes.add(route.id);
  }
  return { status, json };
};
