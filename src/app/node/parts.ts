import type { HttpRoute } from '../../api/http/router.ts';
import { type Closable, type Closing, closeOnFailure, createClosing } from '../../base/closing.ts';
import type { MetricRegistry } from '../../base/metrics/registry.ts';
import type { BannerInfo } from '../output/banner-info.ts';
import type { NamedCheck } from './health-checks.ts';

/**
 * What a part adds to the process it runs in. Whoever adds a route, a health check, a metric or a banner line changes one part. The order in which a
 * program opens its parts counts: checks are registered by startNodeHealth and routes by serveNode, of the parts that are open by then.
 */
export type Contribution = Closable & {
  /** Routes of the main port. */
  readonly routes?: Iterable<NamedRoute>;
  readonly checks?: readonly NamedCheck[];
  readonly metrics?: (registry: MetricRegistry) => void;
  /** What the start banner shows of the part; read when the banner is printed. */
  readonly banner?: () => Partial<BannerInfo>;
};

export type NamedRoute = readonly [path: string, route: HttpRoute];

/** The parts of a process, in the order in which they were opened. */
export type Parts = Omit<Closing, 'add'> & {
  /** Adds an open part, which is closed with the process, and returns it. */
  readonly add: <P extends Contribution>(part: P) => P;
  readonly routes: () => NamedRoute[];
  readonly checks: () => NamedCheck[];
  readonly registerMetrics: (registry: MetricRegistry) => void;
  readonly banner: () => Partial<BannerInfo>;
};

/** `logError`: see `createClosing`. */
export function createParts(logError: (error: unknown) => void): Parts {
  const closing = createClosing(logError);
  const parts: Contribution[] = [];
  return {
    ...closing,
    add: (part) => {
      parts.push(part);
      return closing.add(part);
    },
    routes: () => parts.flatMap(({ routes }) => [...(routes ?? [])]),
    checks: () => parts.flatMap(({ checks }) => checks ?? []),
    registerMetrics: (registry) => {
      for (const { metrics } of parts) metrics?.(registry);
    },
    banner: () => Object.assign({}, ...parts.map(({ banner }) => banner?.())),
  };
}

/** Opens the parts of a process with `open`. What was opened is closed again if a later part fails. */
export const withParts = <T>(logError: (error: unknown) => void, open: (parts: Parts) => Promise<T>): Promise<T> =>
  closeOnFailure(createParts(logError), logError, open);
