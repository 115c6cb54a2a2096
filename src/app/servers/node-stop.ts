import { shuttingDownCheck } from '../../api/health/checks.ts';
import type { Health } from '../../api/health/health.ts';
import { applicationTag } from '../../api/health/worker.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { Config } from '../config/config.ts';
import type { CloseStack } from '../setup/close-stack.ts';
import type { Env } from '../setup/env.ts';
import type { ReaderPool } from '../workers/supervisor.ts';

/** The end of a node. */
export type NodeStop = {
  readonly isStopping: () => boolean;
  /** Announces the stop, waits for `--http-shutdown-wait`, and closes everything. Every call returns the same promise. */
  readonly close: () => Promise<void>;
  /** Closes everything and ends the process with exit code 1. */
  readonly stopAfterFailure: () => void;
};

export type NodeStopDeps = {
  readonly health: Pick<Health, 'register'>;
  readonly readers: () => Pick<ReaderPool, 'announceStopping'> | undefined;
  readonly closing: Pick<CloseStack, 'close'>;
};

export function createNodeStop({ http }: Pick<Config, 'http'>, env: Env, { health, readers, closing }: NodeStopDeps): NodeStop {
  let isStopping = false;
  let closed: Promise<void> | undefined;

  const announce = async (): Promise<void> => {
    isStopping = true;
    health.register('health', 'shuttingDown', shuttingDownCheck, [applicationTag]);
    readers()?.announceStopping();
    // A load balancer sees that the node is unhealthy and sends no more requests. AvalancheGo: node/node.go, shutdown.
    if (http.shutdownWait > 0) await sleep(env.timers, http.shutdownWait);
  };
  const close = (): Promise<void> => {
    closed ??= announce().finally(closing.close);
    return closed;
  };
  return { isStopping: () => isStopping, close, stopAfterFailure: () => void close().then(() => env.exit(1)) };
}
