import { devMethod } from './method.ts';
import { flag, integer, list, number, object, oneOf, optional, record, text, u32 } from './schema.ts';
import type { OutOf } from './views.ts';

/** The most calls that the log keeps, and that one call of `dev.calls` returns if no number is given. */
export const maxLoggedCalls = 1000;
export const defaultLoggedCalls = 200;

const CallError = object('CallError', {
  code: optional(text('See docs/reference/errors.md.')),
  message: text(),
  remedy: optional(text('What to do, if that is known.')),
});

const LoggedCall = object('LoggedCall', {
  number: integer('Rises with every call.'),
  time: integer('Unix milliseconds.'),
  duration: number('Milliseconds until there was an answer.'),
  httpMethod: text(),
  path: text('With the query; tokens in it are hidden.'),
  methods: list(text(), 'The JSON-RPC methods: several in a batch, none of a route.'),
  batchSize: optional(integer('Calls of a batch; only the first methods are listed.')),
  transport: oneOf(['http', 'websocket', 'library'], '`library`: a call of the program that runs the node in its own process.'),
  address: optional(text('IP address of the caller.')),
  userAgent: optional(text()),
  isFromPage: flag('Whether a page of this server sent it.'),
  status: integer('HTTP status.'),
  error: optional(CallError),
  requestBytes: integer(),
  answerBytes: integer(),
});

const CallBody = object('CallBody', {
  text: optional(text('JSON without its secrets; missing if the body is empty or was not kept.')),
  isCut: flag('Whether only the beginning is kept.'),
  hidden: integer('How many values were hidden because they are secrets.'),
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
      last: integer('Number of the last call; give it as `after` to get those that come later.'),
      kept: integer('Calls in the log, whichever of them were asked for.'),
      skipped: integer('Calls that are not in the log because too many came at once.'),
      since: integer('Unix milliseconds: calls are kept from this time on.'),
    }),
  ),
  callBodies: devMethod({ number: u32() }, record({ call: LoggedCall, request: CallBody, answer: CallBody }), 'number'),
};
