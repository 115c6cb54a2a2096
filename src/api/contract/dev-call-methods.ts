import { devMethod } from './method.ts';
import { flag, integer, list, number, object, oneOf, optional, record, text, u32 } from './schema.ts';
import type { OutOf } from './views.ts';

/** The most calls that the log keeps, and that one call of `dev.calls` returns if no number is given. */
export const maxLoggedCalls = 1000;
export const defaultLoggedCalls = 200;

const CallError = object('CallError', {
  code: optional(text('See docs/reference/errors.md.')),
  message: text(),
  remedy: optional(text('What to do.')),
});

const LoggedCall = object('LoggedCall', {
  number: integer('Rises with every call.'),
  time: integer('Unix milliseconds.'),
  duration: number('Milliseconds until there was an answer.'),
  httpMethod: text(),
  path: text('With the query.'),
  methods: list(text(), 'Several in a batch, none of a route.'),
  batchSize: optional(integer('Of a long batch, whose first methods are listed.')),
  transport: oneOf(['http', 'websocket', 'library']),
  address: optional(text('Of the caller.')),
  userAgent: optional(text()),
  isFromPage: flag('From a page of this server.'),
  status: integer('HTTP status.'),
  error: optional(CallError),
  requestBytes: integer(),
  answerBytes: integer(),
});

const CallBody = object('CallBody', {
  text: optional(text('JSON without its secrets.')),
  isCut: flag('Only the beginning is kept.'),
  hidden: integer('Number of hidden values.'),
  reason: optional(text('Why the body was not kept.')),
});

/** A call of the log as `dev.calls` returns it. */
export type LoggedCallJson = OutOf<typeof LoggedCall>;
export type CallBodyJson = OutOf<typeof CallBody>;

/** The log of calls: `dev.*`. */
export const callRows = {
  calls: devMethod(
    { after: optional(u32()), limit: optional(u32()), method: optional(text()), errors: optional(flag()) },
    record({
      calls: list(LoggedCall, 'Newest first.'),
      last: integer('Number of the last call: `after` of the next reading.'),
      kept: integer('Calls in the log.'),
      skipped: integer('Calls that came too fast for the log.'),
      since: integer('Unix milliseconds: since when calls are kept.'),
    }),
  ),
  callBodies: devMethod({ number: u32() }, record({ call: LoggedCall, request: CallBody, answer: CallBody }), 'number'),
};
