import type { Component, HealthDeps } from '../api/served.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { TxStatus } from '../chain/chain.ts';
import { Fault } from '../fault.ts';
import { isLocalCall } from '../http/local-caller.ts';
import type { HttpResponse } from '../http/message.ts';
import { devPath } from '../http/node-routes.ts';
import { type Route, usualMaxBody } from '../http/router.ts';
import type { Reply, Services } from '../rpc/method.ts';
import { type Relay, RelayError } from './relay.ts';

/** Parts of a process that only reads which ask the process that writes. */

/** The services of a path; calls that change something go to the writer as they came. */
export const relayedServices = (services: Services, path: string, relay: Relay): Services => ({
  ...services,
  forward: async (body): Promise<Reply> => {
    const answer = await relay({ ...post(path), body });
    return { body: answer.body, called: answer.headers['x-content-type-options'] !== undefined };
  },
});

/**
 * A route that the writer answers altogether: its health and metrics live there. Caller and headers do not travel, so who may call the
 * developer's methods is decided here.
 */
export const relayedRoute = (relay: Relay, path: string): Route => ({
  ...(path === devPath && { allows: isLocalCall }),
  handler: async (request) => {
    const { method, path, query } = request;
    const body = await request.body(usualMaxBody);
    return relay({ method, path, query, contentType: request.header('content-type'), body }).catch(unavailable);
  },
});

function unavailable(error: unknown): HttpResponse {
  if (!(error instanceof RelayError)) throw error;
  return { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${error.message}\n` };
}

/** What the writing process stands on, asked of its own health checks: under `v1` or `v2`, whichever this port has. */
export function relayedComponents(relay: Relay, version: 'v1' | 'v2'): HealthDeps['components'] {
  const check = async (path: string, name: string): Promise<void> => {
    const { body } = await relay({ method: 'GET', path: `/${version}/${path}`, query: '', contentType: null, body: new Uint8Array(0) });
    const { details } = JSON.parse(Buffer.from(body as string).toString('utf8')) as { details: Record<string, Indicator> };
    const { status, message = '' } = details[name] ?? {};
    if (status !== 'up') throw new ComponentError(`${name} is down`, { code: /\((\w+)\)$/.exec(message)?.[1] ?? 'COMPONENT_DOWN' });
  };
  const component = (name: string): Component => ({ write: () => check('health-check', name), read: () => check('live-check', name) });
  return { database: component('database'), cache: component('cache') };
}

type Indicator = { readonly status?: string; readonly message?: string };

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

/** The code is what the writing process says. */
export class ComponentError extends Fault<{ code: string }> {}
