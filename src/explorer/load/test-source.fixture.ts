import type { PageContext } from './page-context.ts';
import type { Source } from './source.ts';

/** A context with what loaders read of it: the chain `x` of the network `net`. */
export const testContext = { network: { name: 'net' }, chain: { slug: 'x' } } as unknown as PageContext;

/** The path of that chain's routes. */
export const testChainPath = '/v1/networks/net/blockchains/x';

/** A source whose answers a test gives by path; other paths are 404. `asked` has the paths in the order of the requests. */
export function createTestSource(answers: (path: string) => unknown, results: { readonly [method: string]: unknown } = {}) {
  const asked: string[] = [];
  const get = async (path: string) => {
    asked.push(path);
    const body = answers(path);
    return body === undefined ? { status: 404, body: { message: 'not found' } } : { status: 200, body };
  };
  const call = async (_: string, method: string) => ({ status: method in results ? 200 : 403, body: { result: results[method] } });
  return { source: { get, call } as unknown as Source, asked };
}
