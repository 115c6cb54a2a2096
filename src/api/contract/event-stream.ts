import { eventSchema, selectableKinds } from './event-kinds.ts';
import { eventID } from './events.ts';
import { route } from './route.ts';
import { choices, maxQueryAddresses } from './route-params.ts';
import { addresses, assets, object, optional, text } from './schema.ts';

const maxAssets = 64;

/** The stream of events, at a path of its own outside the Data API. */
export const eventStreamRow = route({
  method: 'GET',
  path: '/ext/events',
  tag: 'Events',
  summary: 'Streams events: blocks, transactions, reverts and more',
  description:
    'Server-sent events; over WebSocket, one JSON text per message. The stream does not end. A client that reconnects with the last ID gets the blocks, transactions and reverts in between.',
  params: {
    address: optional(
      addresses(
        maxQueryAddresses,
        'Only transactions that spend or create outputs of these addresses, separated by commas, in any spelling.',
      ),
    ),
    asset: optional(
      assets(maxAssets, `Only transactions with these assets: IDs, or aliases such as AVAX, separated by commas, at most ${maxAssets}.`),
    ),
    kind: choices(selectableKinds, 'Only these kinds of events.'),
    lastEventId: optional(text('Resumes after the event with this ID. The header `Last-Event-ID` takes precedence.')),
  },
  response: eventSchema,
  contentType: 'text/event-stream',
  cachePolicy: 'never',
});

/** Where the stream is now. A program that reads it, then the state, then follows from it, misses nothing. */
export const eventPositionRow = route({
  method: 'GET',
  path: '/ext/events/position',
  tag: 'Events',
  summary: 'The position of the event stream: follow from it, and no event after this answer is missed',
  params: {},
  response: object('EventPosition', { id: eventID }),
  cachePolicy: 'never',
});
