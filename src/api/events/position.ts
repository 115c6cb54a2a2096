/**
 * A position in the event stream: all events up to `index` of the log entry with the number `entry` were sent. An entry is a block or a
 * revert. Index 0 is the entry's own event, index n is the n-th transaction of a block. An undefined index means the whole entry.
 */
export type Position = { readonly entry: number; readonly index: number | undefined };

/** Formats an event ID: `<log>-<entry>.<index>`, or `<log>-<entry>` for a whole entry. `logID` makes IDs of another log invalid. */
export const formatEventID = (logID: string, { entry, index }: Position): string =>
  index === undefined ? `${logID}-${entry}` : `${logID}-${entry}.${index}`;

/** Parses an event ID. Returns undefined if it is malformed or of another log. */
export function parseEventID(logID: string, eventID: string): Position | undefined {
  const [, log, entry, index] = /^(\w{1,64})-(\d{1,15})(?:\.(\d{1,9}))?$/.exec(eventID) ?? [];
  if (log !== logID || entry === undefined) return undefined;
  return { entry: Number(entry), index: index === undefined ? undefined : Number(index) };
}

/**
 * Whether an event comes after a position. An event of another log always does: the server resets a stream when its log changes. Also used by
 * browsers.
 */
export function isAfter(eventID: string, position: string): boolean {
  const [log = ''] = position.split('-', 1);
  const [one, other] = [parseEventID(log, eventID), parseEventID(log, position)];
  if (one === undefined || other === undefined || one.entry !== other.entry) return one === undefined || one.entry > (other?.entry ?? -1);
  return other.index !== undefined && (one.index ?? Number.POSITIVE_INFINITY) > other.index;
}
