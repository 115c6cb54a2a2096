import type { OrderedFault } from '../load/dev-state.ts';
import { plural } from '../text/text-format.ts';

/** `avm.issueTx fails 3 times: try later` */
export function faultText({ kind, target, ms, times, message }: OrderedFault): string {
  if (kind === 'latency') return `${target === '' ? 'every call' : target} takes ${ms} ms longer`;
  if (kind === 'failure') return `${target} fails ${plural(times ?? 0, 'more time')}: ${message}`;
  return `health check ${target} fails: ${message}`;
}
