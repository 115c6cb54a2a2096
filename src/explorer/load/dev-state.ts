import type { MethodJson } from '../../api/contract/answers.ts';
import { plural } from '../text/text-format.ts';
import { callIfAllowed, type Source } from './source.ts';
import { splitSnapshots, type UndoPoint } from './undo-point.ts';

/** What the strip of a dev chain shows. */
export type DevState = {
  /** Unix seconds of the chain's clock. */
  readonly time: number;
  /** Seconds that the clock is ahead of real time. */
  readonly offset: number;
  readonly isFrozen: boolean;
  readonly automine: boolean;
  /** Seconds between blocks; 0: not by time. */
  readonly interval: number;
  /** Without that of the page. */
  readonly snapshots: readonly Snapshot[];
  /** What the page can undo. */
  readonly undo: UndoPoint | undefined;
  /** Delays and failures that a developer has ordered. */
  readonly faults: readonly OrderedFault[];
};

export type OrderedFault = MethodJson<'dev.nodeInfo'>['faults'][number];
export type Snapshot = MethodJson<'dev.listSnapshots'>['snapshots'][number];

/** Undefined if the caller may not use `/ext/dev`. */
export async function loadDevState(source: Source): Promise<DevState | undefined> {
  const [info, list] = await Promise.all([
    callIfAllowed(source, '/ext/dev', 'dev.nodeInfo'),
    callIfAllowed(source, '/ext/dev', 'dev.listSnapshots'),
  ]);
  if (info === undefined || list === undefined) return undefined;
  const { own, undo } = splitSnapshots(list.snapshots);
  return {
    time: Number(info.time),
    offset: Number(info.offset),
    isFrozen: info.frozen,
    automine: info.automine,
    interval: info.interval,
    snapshots: own,
    undo,
    faults: info.faults,
  };
}

/** `Blocks as soon as there is work` */
export function miningText({ automine, interval }: Pick<DevState, 'automine' | 'interval'>): string {
  if (automine && interval > 0) return `Blocks at once, and every ${interval} s`;
  if (automine) return 'Blocks as soon as there is work';
  return interval > 0 ? `Blocks every ${interval} s` : 'Blocks paused';
}

/** `avm.issueTx fails 3 more times: try later` */
export function faultText({ kind, target, ms, times, message }: OrderedFault): string {
  if (kind === 'latency') return `${target === '' ? 'every call' : target} takes ${ms} ms longer`;
  if (kind === 'failure') return `${target} fails ${plural(times ?? 0, 'more time')}: ${message}`;
  return `health check ${target} fails: ${message}`;
}
