import type { HttpRoute } from './router.ts';

/** The path that load balancers ask whether a node can take requests. */
export const readyPath = '/ready';

/** The route `/ready`: 200 if the node can take requests, else 503 with the reason. `findReason` returns why it cannot. */
export function createReadyRoute(
  version: string,
  findReason: () => Promise<string | undefined>,
): readonly [path: string, route: HttpRoute] {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', 'x-serac-version': version };
  return [
    readyPath,
    {
      handler: async () => {
        const reason = await findReason();
        const body = `${JSON.stringify(reason === undefined ? { ready: true } : { ready: false, reason })}\n`;
        return { status: reason === undefined ? 200 : 503, headers, body };
      },
    },
  ];
}
