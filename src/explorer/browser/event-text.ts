import { groupDigits, shortId, spanText } from '../text/text-format.ts';
import type { StreamEvent } from './stream-events.ts';

/** What an event says, in a few words. */
export function eventText(event: StreamEvent): string {
  if (event.kind === 'block') return `${groupDigits(event.height)} · ${groupDigits(event.txIDs.length)} tx`;
  if (event.kind === 'tx') return `${event.txType} ${shortId(event.txID)}`;
  if (event.kind === 'mempool') return `${event.action} ${shortId(event.txID)}`;
  if (event.kind === 'reverted')
    return `to block ${groupDigits(event.height)}${event.snapshot === undefined ? '' : ` · ${event.snapshot}`}`;
  if (event.kind === 'time') return `${event.offset < 0 ? '−' : '+'}${spanText(Math.abs(event.offset))}${event.frozen ? ', frozen' : ''}`;
  return event.kind === 'settings' ? event.changed : '';
}

/** The page of what an event is about. */
export function eventHref(event: StreamEvent): string | undefined {
  if (event.kind === 'block') return `/block/${event.height}`;
  return event.kind === 'tx' || event.kind === 'mempool' ? `/tx/${event.txID}` : undefined;
}
