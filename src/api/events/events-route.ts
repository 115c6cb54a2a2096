import { Fault } from '../../base/fault.ts';
import { clientOfAddress } from '../access/client-address.ts';
import type { AccessDecision, Gate } from '../access/gate.ts';
import type { StreamLimit } from '../access/stream-limit.ts';
import { eventPositionRow, eventStreamRow } from '../contract/event-stream.ts';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { apiKeyOf } from '../http/own-headers.ts';
import type { HttpRoute } from '../http/router.ts';
import { ApiError } from '../rest/api-error.ts';
import { apiErrorResponse, errorResponse, jsonHeaders } from '../rest/response.ts';
import { type EventParamContext, readEventRequest } from './filter.ts';
import type { EventHub } from './hub.ts';
import { createSseJoiner, createSseStream, createWebSocketHandlers } from './transport.ts';

/** The paths of the event stream, `/ext/events`, and of its position. */
export const eventsPath = eventStreamRow.path;
export const eventPositionPath = eventPositionRow.path;

/** The routes as the OpenAPI document describes them. */
const [eventsApiRoute, positionApiRoute] = [
  { ...eventStreamRow, id: 'subscribeToEvents' },
  { ...eventPositionRow, id: 'getEventPosition' },
];
export const eventsApiRoutes = [eventsApiRoute, positionApiRoute];

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
export function createEventsRoute({ hub, gate, context, caller, streamLimit }: EventsRouteDeps): HttpRoute {
  const joinEvents = createSseJoiner();
  const open = async (request: HttpRequest, { headers }: AccessDecision): Promise<HttpResponse> => {
    const { filter, lastEventId } = readEventRequest(request.query, context);
    const endStream = streamLimit === undefined ? () => {} : await streamLimit.take(clientOfAddress(caller(request)));
    if (endStream === undefined)
      return errorResponse(`At most ${streamLimit?.max} event streams per caller; close one first`, { status: 429 }, jsonHeaders);
    const key = apiKeyOf(request);
    const stillAdmits = key === undefined ? undefined : () => gate.stillAdmits(key);
    const subscriber = await hub.subscribe(filter, request.header('last-event-id') ?? lastEventId, stillAdmits).catch((error: unknown) => {
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
    return { status: 200, headers: sseHeaders, body: '', stream: createSseStream(subscriber, ending, joinEvents) };
  };

  return { isOwn: true, handler: createEventHandler({ gate, caller }, eventsApiRoute.id, open) };
}

/** Creates the route of the stream's position. */
export function createEventPositionRoute({ hub, gate, caller }: Pick<EventsRouteDeps, 'hub' | 'gate' | 'caller'>): HttpRoute {
  const open = async (_: HttpRequest, { headers }: AccessDecision): Promise<HttpResponse> => ({
    status: 200,
    headers: { ...jsonHeaders, 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ id: await hub.position() }),
  });
  return { isOwn: true, handler: createEventHandler({ gate, caller }, positionApiRoute.id, open) };
}

/** Checks the method, the key and the rate limit. */
function createEventHandler(
  { gate, caller }: Pick<EventsRouteDeps, 'gate' | 'caller'>,
  route: string,
  open: (request: HttpRequest, decision: AccessDecision) => Promise<HttpResponse>,
) {
  return async (request: HttpRequest): Promise<HttpResponse> => {
    if (request.method !== 'GET')
      return { status: 405, headers: { allow: 'GET', 'content-type': 'text/plain; charset=utf-8' }, body: 'use GET\n' };
    const decision = await gate.admit({
      api: 'data',
      route,
      isPublic: false,
      key: apiKeyOf(request),
      get caller() {
        return caller(request);
      },
    });
    if (!decision.admitted) return errorResponse(decision.message, decision, { ...jsonHeaders, ...decision.headers });
    try {
      return await open(request, decision);
    } catch (error) {
      if (error instanceof ApiError) return apiErrorResponse(error, jsonHeaders);
      if (error instanceof Fault && (error.fault.code === 'DATABASE_DOWN' || error.fault.code === 'DATABASE_BEHIND'))
        return errorResponse('The database is not available; try again', { status: 503 }, jsonHeaders);
      throw error;
    }
  };
}

/** A proxy must pass each event on at once. nginx: X-Accel-Buffering. */
const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
