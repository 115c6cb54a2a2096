import type { NodeId } from '../../base/bytes/node-id.ts';

/** How long each validator was connected since this node started. The clock is an argument of each call, in milliseconds. */
type UptimeMeter = {
  readonly connected: (node: NodeId, now: number) => void;
  readonly disconnected: (node: NodeId, now: number) => void;
  /** Percent of the time since the start, from 0 to 100. */
  readonly read: (node: NodeId, now: number) => number;
  /** Forgets nodes that are neither connected nor kept. */
  readonly prune: (isKept: (node: NodeId) => boolean) => void;
};

type Uptime = { total: number; since: number | undefined };

export function createUptimeMeter(start: number): UptimeMeter {
  const uptimes = new Map<NodeId, Uptime>();
  return {
    connected: (node, now) => void uptimes.set(node, { total: uptimes.get(node)?.total ?? 0, since: now }),
    disconnected: (node, now) => {
      const uptime = uptimes.get(node);
      if (uptime?.since === undefined) return;
      uptime.total += now - uptime.since;
      uptime.since = undefined;
    },
    read: (node, now) => {
      const uptime = uptimes.get(node);
      if (uptime === undefined || now <= start) return 0;
      const connected = uptime.total + (uptime.since === undefined ? 0 : now - uptime.since);
      return Math.min(100, (100 * connected) / (now - start));
    },
    prune: (isKept) => {
      for (const [node, { since }] of uptimes) if (since === undefined && !isKept(node)) uptimes.delete(node);
    },
  };
}
