import { type ChainEventKind, eventID, eventSchemas } from './events.ts';
import { type AnySchema, anyOf, type ObjectOf, object, oneOf, text } from './schema.ts';

/**
 * The kinds of events: what each means and the schema of its JSON. The documentation, the OpenAPI document and the tests of the stream all
 * use this table.
 * `isResumable`: the event has an `id` and is sent again to a client that resumes from an earlier one. All others are live only.
 */
export type EventKindRow = {
  readonly meaning: string;
  readonly isResumable: boolean;
  /** Whether a client can ask for it with `kind`. The others are about the stream itself and are always sent. */
  readonly isSelectable: boolean;
  readonly schema: ObjectOf;
};

export const eventKinds = {
  block: {
    meaning: 'A block was accepted. It comes before the events of its transactions.',
    isResumable: true,
    isSelectable: true,
    schema: eventSchemas.block,
  },
  tx: {
    meaning: 'A transaction was accepted.',
    isResumable: true,
    isSelectable: true,
    schema: eventSchemas.tx,
  },
  reverted: {
    meaning:
      'An earlier state was restored: the blocks above `height` are no longer accepted, and the mempool is empty. Transactions that a snapshot has in the mempool follow as `mempool` events.',
    isResumable: true,
    isSelectable: true,
    schema: eventSchemas.reverted,
  },
  mempool: {
    meaning: 'A transaction entered the mempool, or left it other than by being accepted or by a revert.',
    isResumable: false,
    isSelectable: true,
    schema: eventSchemas.mempool,
  },
  time: {
    meaning: "The chain's clock was changed.",
    isResumable: false,
    isSelectable: true,
    schema: eventSchemas.time,
  },
  settings: {
    meaning:
      'A setting of the developer was changed: when blocks are made, delays and failures of calls, the list of snapshots, the labels of addresses, or which of them are impersonated.',
    isResumable: false,
    isSelectable: true,
    schema: eventSchemas.settings,
  },
  calls: {
    meaning: 'There are new calls in the log of calls; `dev.calls` returns them. Sent while the log is read, at most four times a second.',
    isResumable: false,
    isSelectable: true,
    schema: eventSchemas.calls,
  },
  health: {
    meaning: 'A health check of the node began to fail, or passed again.',
    isResumable: false,
    isSelectable: true,
    schema: eventSchemas.health,
  },
  reset: {
    meaning:
      'The stream cannot be resumed from the given ID, or events were dropped. It continues with new events: read the current state again.',
    isResumable: true,
    isSelectable: false,
    schema: eventSchemas.reset,
  },
  heartbeat: {
    meaning: 'Sent every 2 s, and as soon as all past events were sent. Its `id` includes events that the filter left out.',
    isResumable: true,
    isSelectable: false,
    schema: object('HeartbeatEvent', { id: eventID, kind: oneOf(['heartbeat']) }),
  },
  closed: {
    meaning: 'The last event before the server closes the stream. Resume from the last `id`.',
    isResumable: false,
    isSelectable: false,
    schema: object('ClosedEvent', {
      kind: oneOf(['closed']),
      reason: oneOf(
        ['too-slow', 'failed', 'stopping', 'key-invalid'],
        '`too-slow`: the client did not read its events in time. `failed`: past events could not be read. `stopping`: the server stops. `key-invalid`: the API key was revoked or has expired.',
      ),
      message: text(),
    }),
  },
} as const satisfies Readonly<Record<ChainEventKind | 'heartbeat' | 'closed', EventKindRow>>;

export type EventKind = keyof typeof eventKinds;

/** The kinds that `kind` selects. */
export type SelectableKind = 'block' | 'tx' | 'reverted' | 'mempool' | 'time' | 'settings' | 'calls' | 'health';

export const selectableKinds = (Object.keys(eventKinds) as EventKind[]).filter(
  (kind): kind is SelectableKind => eventKinds[kind].isSelectable,
);

/** The schema of any event. */
export const eventSchema: AnySchema = anyOf(
  Object.values(eventKinds).map(({ schema }) => schema),
  'Event',
);
