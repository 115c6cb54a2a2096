import { type Id, idText } from '../bytes/id.ts';
import type { TxStatus } from '../chain/chain.ts';
import { type Relay, RelayError } from '../http/relay.ts';
import type { Route } from '../http/router.ts';
import type { Reply, Services } from '../rpc/method.ts';

/** Parts of a process that only reads which ask the process that writes. */

/** The services of a path; calls that change something go to the writer as they came. */
export const relayedServices = (services: Services, path: string, relay: Relay): Services => ({
  ...services,
  forward: async (body): Promise<Reply> => {
    const answer = await relay({ ...post(path), body });
    return { body: answer.body, called: answer.headers['x-content-type-options'] !== undefined };
  },
});

/** A route that the writer answers altogether: health and metrics live there. */
export const relayedRoute = (relay: Relay): Route => ({
  handler: async (request) => {
    const { method, path, query } = request;
    return relay({ method, path, query, contentType: request.header('content-type'), body: await request.body() });
  },
});

/** What the reading process does not know: whether a transaction waits, is undecided, or was lost. */
export const relayedStatus =
  (path: string, relay: Relay) =>
  async (txID: Id): Promise<TxStatus> => {
    const call = { jsonrpc: '2.0', id: 1, method: 'avm.getTxStatus', params: { txID: idText(txID) } };
    const { body } = await relay({ ...post(path), body: Buffer.from(JSON.stringify(call)) });
    return (JSON.parse(Buffer.from(body as string).toString('utf8')) as { result: { status: TxStatus } }).result.status;
  };

const post = (path: string) => ({ method: 'POST', path, query: '', contentType: 'application/json' });

/** In a reading process these are never reached: their methods are handed on before they run. */
export const notHere = (): never => {
  throw new RelayError('only the writing process does this', { code: 'RELAY_WRONG_PROCESS' });
};
