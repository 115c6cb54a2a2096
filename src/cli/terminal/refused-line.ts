import type { RefusedCall } from '../../api/rpc/refused-call.ts';
import type { RefusedCounts } from '../../app/feed/limit-refused.ts';
import { formatEventJson, joinParts } from './event-line.ts';
import type { Style } from './style.ts';

/** `refused  14:02:12  avm.getUTXOs  no addresses provided (unknown parameter address; did you mean addresses?)` */
export function formatRefusedLine({ method, reason, hint }: RefusedCall, time: string, style: Style): string {
  const parts = [style.red('refused'), style.dim(time), style.bold(method === '' ? 'a request' : method), reason];
  return joinParts(parts) + (hint === '' ? '' : style.dim(` (${hint})`));
}

export const formatRefusedJson = ({ method, code, reason, hint }: RefusedCall, time: string): string =>
  formatEventJson('refused', time, { method, code, reason, ...(hint !== '' && { hint }) });

/** `refused  14:02:13  134 more calls: avm.issueTx 130, avm.getTx 4` */
export const formatRefusedCounts = (counts: RefusedCounts, time: string, style: Style): string =>
  joinParts([style.red('refused'), style.dim(time), `${total(counts)} more calls: ${listCounts(counts)}`]);

export const formatRefusedCountsJson = (counts: RefusedCounts, time: string): string =>
  formatEventJson('refusedCalls', time, { calls: total(counts), methods: Object.fromEntries(counts) });

const total = (counts: RefusedCounts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

const listCounts = (counts: RefusedCounts): string => [...counts].map(([method, count]) => `${method} ${count}`).join(', ');
