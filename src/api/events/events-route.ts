import { Fault } from '../../base/fault.ts';
import type { AccessDecision, Gate } from '../access/gate.ts';
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

export type EventsRouteDeps = {
  readonly hub: EventHub;
  readonly gate: Gate;
  readonly context: EventParamContext;
  /** IP address of the caller, for the rate limits. */
  readonly caller: (request: HttpRequest) => string;
  /** The most streams of one caller; undefined if callers are not limited. */
  readonly maxPerCaller?: number | undefined;
};

/** Creates the route of the event stream: server-sent events, or a WebSocket if the client asks for one. */
export function createEventsRoute(deps: EventsRouteDeps): HttpRoute {
  const { hub, gate, context, caller, maxPerCaller } = deps;
  const streams = new Map<string, number>();

  const open = async (request: HttpRequest, { headers }: AccessDecision): Promise<HttpResponse> => {
    const { filter, lastEventId } = readEventRequest(request.query, context);
    const from = maxPerCaller === undefined ? undefined : caller(request);
    const count = from === undefined ? 0 : (streams.get(from) ?? 0);
    if (maxPerCaller !== undefined && count >= maxPerCaller)
      return errorResponse(`At most ${maxPerCaller} event streams per caller; close one first`, { status: 429 }, jsonHeaders);
    if (from !== undefined) streams.set(from, count + 1);
    const release = (): void => {
      if (from === undefined) return;
      const left = (streams.get(from) ?? 1) - 1;
      if (left > 0) streams.set(from, left);
      else streams.delete(from);
    };
    const subscriber = await hub.subscribe(filter, request.header('last-event-id') ?? lastEventId).catch((error: unknown) => {
      release();
      throw error;
    });
    if (subscriber === undefined) {
      release();
      return errorResponse('The server has too many event streams; try again later', { status: 503 }, jsonHeaders);
    }
    const ending = {
      unsubscribe: (ended: typeof subscriber) => {
        if (!isReleased) release();
        isReleased = true;
        hub.unsubscribe(ended);
      },
    };
    let isReleased = false;
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
