import { Fault } from '../../base/fault.ts';
import { clientOfAddress } from '../access/client-address.ts';
import type { AccessDecision, Gate } from '../access/gate.ts';
import type { StreamLimit } from '../access/stream-limit.ts';
import { eventStreamRow } from '../contract/event-stream.ts';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import type { HttpRoute } from '../http/router.ts';
import { ApiError } from '../rest/api-error.ts';
import { apiErrorResponse, errorResponse, jsonHeaders } from '../rest/response.ts';
import { type EventParamContext, readEventRequest } from './filter.ts';
import type { EventHub } from './hub.ts';
import { createSseStream, createWebSocketHandlers } from './transport.ts';

export const eventsPath = eventStreamRow.path;

/** The route as the OpenAPI document describes it. */
export const eventsApiRoute = { ...eventStreamRow, id: 'subscribeToEvents' };

type EventsRouteDeps = {
  readonly hub: EventHub;
  readonly gate: Gate;
  readonly context: EventParamContext;
  /** IP address of the caller, for the rate limits. */
  readonly caller: (request: HttpRequest) => string;
  /** Undefined if callers are not limited. */
  readonly streamLimit?: StreamLimit | undefined;
};

/** Creates the route of the event stream: server-sent events, or a WebSocket if the client asks for one. */
export function createEventsRoute(deps: EventsRouteDeps): HttpRoute {
  const { hub, gate, context, caller, streamLimit } = deps;

  const open = async (request: HttpRequest, { headers }: AccessDecision): Promise<HttpResponse> => {
    const { filter, lastEventId } = readEventRequest(request.query, context);
    const endStream = streamLimit === undefined ? () => {} : await streamLimit.take(clientOfAddress(caller(request)));
    if (endStream === undefined)
      return errorResponse(`At most ${streamLimit?.max} event streams per caller; close one first`, { status: 429 }, jsonHeaders);
    const subscriber = await hub.subscribe(filter, request.header('last-event-id') ?? lastEventId).catch((error: unknown) => {
      endStream();
      throw error;
    });
    if (subscriber === undefined) {
      endStream();
      return errorResponse('The server has too many event streams; try again later', { status: 503 }, jsonHeaders);
    }
    const ending = {
      unsubscribe: (ended: typeof subscriber) => {
        endStream();
        hub.unsubscribe(ended);
      },
    };
    if (request.header('upgrade')?.toLowerCase() === 'websocket')
      return { status: 101, headers, body: '', webSocket: createWebSocketHandlers(subscriber, ending) };
    const sseHeaders = Object.keys(headers).length === 0 ? streamHeaders : { ...streamHeaders, ...headers };
    return { status: 200, headers: sseHeaders, body: '', stream: createSseStream(subscriber, ending) };
  };

  const handler = async (request: HttpRequest): Promise<HttpResponse> => {
    if (request.method !== 'GET')
      return { status: 405, headers: { allow: 'GET', 'content-type': 'text/plain; charset=utf-8' }, body: 'use GET\n' };
    const decision = await gate.admit({
      api: 'data',
      route: eventsApiRoute.id,
      isPublic: false,
      key: request.header('x-service-api-key') ?? request.header('x-glacier-api-key') ?? undefined,
      get caller() {
        return caller(request);
      },
    });
    if (!decision.admitted) return errorResponse(decision.message, decision, { ...jsonHeaders, ...decision.headers });
    try {
      return await open(request, decision);
    } catch (error) {
      if (error instanceof ApiError) return apiErrorResponse(error, jsonHeaders);
      if (error instanceof Fault && error.fault.code === 'DATABASE_DOWN')
        return errorResponse('The database is not available; try again', { status: 503 }, jsonHeaders);
      throw error;
    }
  };
  return { handler };
}

/** A proxy must pass each event on at once. nginx: X-Accel-Buffering. */
const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
