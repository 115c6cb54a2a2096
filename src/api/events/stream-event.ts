import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { EventKind } from '../contract/event-kinds.ts';
import { formatEventID, type Position } from './position.ts';

/** An event as it is sent. Its JSON and its SSE text are rendered at most once, when the first client needs them. */
export type StreamEvent = {
  readonly kind: EventKind;
  /** Undefined for live events, which have no `id`. */
  readonly position: Position | undefined;
  /** Owners of the outputs that the transaction spends and creates, and the assets of these outputs; undefined for other events. */
  readonly subject: { readonly owners: ReadonlySet<Address>; readonly assets: ReadonlySet<Id> } | undefined;
  readonly json: () => string;
  readonly sse: () => Uint8Array;
};

/** JSON text of the properties of an event, without braces, `id` and `kind`; may be empty. */
export type RenderProperties = () => string;

export function createStreamEvent(
  logID: string,
  kind: EventKind,
  position: Position | undefined,
  properties: RenderProperties,
  subject?: StreamEvent['subject'],
): StreamEvent {
  const id = position && formatEventID(logID, position);
  let json: string | undefined;
  let sse: Uint8Array | undefined;
  const renderJson = (): string => {
    const rest = properties();
    return `{${id === undefined ? '' : `"id":"${id}",`}"kind":"${kind}"${rest === '' ? '' : `,${rest}`}}`;
  };
  const toJson = (): string => {
    json ??= renderJson();
    return json;
  };
  return {
    kind,
    position,
    subject,
    json: toJson,
    sse: () => {
      sse ??= Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${toJson()}\n\n`);
      return sse;
    },
  };
}

/** Properties of an object as `RenderProperties` returns them. Undefined ones are left out. */
export const renderProperties = (properties: Readonly<Record<string, string | number | boolean | object | undefined>>): string =>
  JSON.stringify(properties).slice(1, -1);
