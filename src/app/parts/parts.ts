import type { HttpRoute } from '../../api/http/router.ts';
import type { MetricRegistry } from '../../base/metrics/registry.ts';
import type { NamedCheck } from '../chains/health-checks.ts';
import type { BannerInfo } from '../setup/banner-info.ts';

/** What a part adds to the process it runs in. Whoever adds a route, a health check, a metric or a banner line changes one part. */
export type Contribution = {
  /** Routes of the main port. */
  readonly routes?: Iterable<NamedRoute>;
  readonly checks?: readonly NamedCheck[];
  readonly metrics?: (registry: MetricRegistry) => void;
  /** What the start banner shows of the part; read when the banner is printed. */
  readonly banner?: () => Partial<BannerInfo>;
  readonly close?: () => void | Promise<void>;
};

export type NamedRoute = readonly [path: string, route: HttpRoute];

/** The parts of a process, in the order in which they were opened. */
export type Parts = {
  /** Adds an open part, which is closed with the process, and returns it. */
  readonly add: <P extends Contribution>(part: P) => P;
  /** Adds parts that are closed first and together: those that callers are connected to. */
  readonly addServer: (part: Pick<Contribution, 'close'>) => void;
  readonly routes: () => NamedRoute[];
  readonly checks: () => NamedCheck[];
  readonly registerMetrics: (registry: MetricRegistry) => void;
  readonly banner: () => Partial<BannerInfo>;
  /** Closes every part once, the last opened first. Every call returns the same promise, which rejects with the first error. */
  readonly close: () => Promise<void>;
};

/** `report` gets the errors of closing after the first one: an error does not stop other parts from being closed. */
export function createParts(report: (error: unknown) => void): Parts {
  const parts: Contribution[] = [];
  const servers: Pick<Contribution, 'close'>[] = [];
  let closed: Promise<void> | undefined;

  const closeAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const group of [servers, ...parts.map((part) => [part]).reverse()]) {
      const results = await Promise.allSettled(group.map(async ({ close }) => close?.()));
      for (const result of results) if (result.status === 'rejected') errors.push(result.reason);
    }
    const [first, ...others] = errors;
    for (const error of others) report(error);
    if (errors.length > 0) throw first;
  };

  return {
    add: (part) => {
      parts.push(part);
      return part;
    },
    addServer: (part) => void servers.push(part),
    routes: () => parts.flatMap(({ routes }) => [...(routes ?? [])]),
    checks: () => parts.flatMap(({ checks }) => checks ?? []),
    registerMetrics: (registry) => {
      for (const { metrics } of parts) metrics?.(registry);
    },
    banner: () => Object.assign({}, ...parts.map(({ banner }) => banner?.())),
    close: () => {
      closed ??= closeAll();
      return closed;
    },
  };
}

/** Opens the parts of a process with `open`. What was opened is closed again if a later part fails. */
export async function withParts<T>(report: (error: unknown) => void, open: (parts: Parts) => Promise<T>): Promise<T> {
  const parts = createParts(report);
  try {
    return await open(parts);
  } catch (error) {
    await parts.close().catch(report);
    throw error;
  }
}
