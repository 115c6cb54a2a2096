import type { DevAccess } from '../../api/http/dev-access.ts';
import type { Handler, HttpResponse } from '../../api/http/message.ts';
import { devPath, isDevPath, maxTxBody } from '../../api/http/node-routes.ts';
import { defaultMaxBody, type HttpRoute } from '../../api/http/router.ts';
import type { ApiHealthDeps, HealthComponent } from '../../api/rest/served-chains.ts';
import type { BoundMethod, RpcResponse, Services } from '../../api/rpc/method.ts';
import { Fault } from '../../base/fault.ts';
import { type Relay, RelayError, relayFailedError } from './relay.ts';

/** Parts of a reader process that send requests to the writer process. reader-rpc.ts builds the Node RPC of a reader process from them. */

/**
 * The services of a path. Calls of methods with `needsWriter` are forwarded to the writer process unchanged, and all calls while
 * `isForwarding` returns true.
 */
export const forwardWritesToWriter = (services: Services, path: string, relay: Relay, isForwarding: () => boolean): Services => ({
  ...services,
  methods: new Map([...services.methods].map(([name, method]) => [name, forwardIf(method, isForwarding)])),
  forwardToWriter: async (body): Promise<RpcResponse> => toRpcResponse(await relay({ ...postRequest(path), body })),
});

/**
 * The JSON-RPC response in an HTTP response of the writer process, so that this process answers with the same status, headers and body. The
 * inverse of what router.ts does with an `RpcResponse`: `methodRan` is the header against content sniffing, `isUnavailable` is status 503. Throws if
 * the writer process did not answer the call: its body is then a text, such as `internal error`, which no JSON-RPC client can read.
 */
function toRpcResponse({ status, headers, body }: HttpResponse): RpcResponse {
  const isText = headers['content-type']?.startsWith('text/') === true;
  if ((status !== 200 && status !== 503) || isText) throw relayFailedError(status);
  return { body, methodRan: headers['x-content-type-options'] !== undefined, isUnavailable: status === 503 || undefined };
}

/** `needsWriter` is read for each call. */
const forwardIf = (method: BoundMethod, isForwarding: () => boolean): BoundMethod =>
  method.needsWriter
    ? method
    : {
        ...method,
        get needsWriter() {
          return isForwarding();
        },
      };

/**
 * A route that the writer process serves, such as health and metrics. Remote address and headers are not relayed, so this process decides who
 * may call the developer methods.
 */
export const createRelayedRoute = (relay: Relay, path: string, devAccess: DevAccess): HttpRoute => {
  const access = isDevPath(path) ? devAccess : undefined;
  return {
    isAllowed: access?.isAllowed,
    refusal: access?.refusal,
    handler: async (request) => {
      const { method, path, query } = request;
      const body = await request.body(path === devPath ? maxTxBody : defaultMaxBody);
      return relay({ method, path, query, contentType: request.header('content-type'), body }).catch(unavailableResponse);
    },
  };
};

/** A route whose bodies are too large for the channel between the processes: `forward` sends the request to a port of the writer process. */
export const createForwardedRoute = (forward: Handler, devAccess: DevAccess): HttpRoute => ({ ...devAccess, handler: forward });

function unavailableResponse(error: unknown): HttpResponse {
  if (!(error instanceof RelayError)) throw error;
  return { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' }, body: `${error.message}\n` };
}

/** Health of the writer's database and cache, read from its health routes under `v1` or `v2`, whichever this port serves. */
export function relayedHealthComponents(relay: Relay, version: 'v1' | 'v2'): ApiHealthDeps['components'] {
  const check = async (path: string, name: string): Promise<void> => {
    const { body } = await relay({ method: 'GET', path: `/${version}/${path}`, query: '', contentType: null, body: new Uint8Array(0) });
    const { details } = JSON.parse(Buffer.from(body as string).toString('utf8')) as { details: Record<string, HealthIndicator> };
    const { status, message = '' } = details[name] ?? {};
    if (status !== 'up') throw new ComponentError(`${name} is down`, { code: /\((\w+)\)$/.exec(message)?.[1] ?? 'COMPONENT_DOWN' });
  };
  const component = (name: string): HealthComponent => ({
    probeWrite: () => check('health-check', name),
    probeRead: () => check('live-check', name),
  });
  return { database: component('database'), cache: component('cache') };
}

type HealthIndicator = { readonly status?: string; readonly message?: string };

const postRequest = (path: string) => ({ method: 'POST', path, query: '', contentType: 'application/json' });

/** Takes the place of writing functions in a reader process. Never called: methods that need them are forwarded before they run. */
export const rejectInReader = (): never => {
  throw new RelayError('only the writer process can do this', { code: 'RELAY_WRONG_PROCESS' });
};

/** The code is the one that the writer process reported. */
class ComponentError extends Fault<{ code: string }> {}
