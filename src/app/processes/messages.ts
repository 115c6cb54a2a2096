import type { CallRecord } from '../../api/calls/call-record.ts';
import type { LiveKind } from '../../api/events/hub.ts';
import type { ServerIndex } from '../../api/rest/index-page.ts';
import type { RefusedCall } from '../../api/rpc/refused-call.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { MetricFamily } from '../../base/metrics/family.ts';
import type { ClockState } from '../../base/timing/chain-clock.ts';

/**
 * What the `dev.*` methods change in every process: the chain's clock, whether all calls are forwarded to the writer process, and whether calls are
 * recorded for the log of calls.
 */
export type ReaderState = { readonly clock: ClockState; readonly isForwarding: boolean; readonly recordsCalls: boolean };

/** An event of the event stream that is not in the event log; see events/hub.ts. */
export type LiveEvent = {
  readonly kind: LiveKind;
  readonly properties: string;
  readonly subject: { readonly owners: ReadonlySet<Address>; readonly assets: ReadonlySet<Id> } | undefined;
};

/** Messages from the writer process to a reader process, and back. Relayed HTTP requests use the same channel; see relay.ts. */
export type MessageToReader =
  | {
      readonly reader: 'start';
      readonly nodeID: string;
      readonly port: number;
      readonly relayedPaths: readonly string[];
      /** What `GET /` shows. */
      readonly index: ServerIndex;
      readonly statePort?: number;
    }
  | { readonly reader: 'getMetrics'; readonly id: number }
  /** Answered by `done`. */
  | { readonly reader: 'setState'; readonly id: number; readonly state: ReaderState }
  | { readonly reader: 'ping' }
  /** The event log has new entries. This and `liveEvent` are sent only to readers that have clients of the event stream. */
  | { readonly reader: 'eventsAdvanced' }
  /** `lastEntry`: the last number in the event log when it happened. */
  | ({ readonly reader: 'liveEvent'; readonly lastEntry: number } & LiveEvent)
  /** Whether the stream of the `takeStream` with this number may be opened. */
  | { readonly reader: 'streamTaken'; readonly id: number; readonly isTaken: boolean }
  /** Of the supervisor process: there is no writer process now, or it hangs. Sent every half second; a new writer sends `start` again. */
  | { readonly reader: 'writerGone' }
  | { readonly reader: 'stopping' }
  | { readonly reader: 'stop' };
export type MessageFromReader =
  | { readonly reader: 'metrics'; readonly id: number; readonly families: MetricFamily[] }
  | { readonly reader: 'done'; readonly id: number }
  | { readonly reader: 'eventsListening'; readonly isListening: boolean }
  /** A client opens an event stream, and closes it. The reader numbers its streams. */
  | { readonly reader: 'takeStream'; readonly id: number; readonly client: string }
  | { readonly reader: 'endStream'; readonly id: number }
  /** A call that the reader answered with an error, and the number of those that it does not send one by one. At most 20 a second. */
  | { readonly reader: 'refused'; readonly call: RefusedCall }
  | { readonly reader: 'refusedCounts'; readonly counts: ReadonlyMap<string, number> }
  /** Calls that the reader has recorded, and how many it has not: at most `maxWaitingCalls` every `describeInterval` (call-recorder.ts). */
  | { readonly reader: 'calls'; readonly calls: readonly CallRecord[]; readonly skipped: number }
  /** `problem`: why the reader serves not all clients, if it does not. */
  | { readonly reader: 'pong'; readonly isServing: boolean; readonly problem?: string | undefined };
