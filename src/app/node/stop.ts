import { sleep } from '../../base/timing/sleep.ts';
import type { Config } from '../config/config.ts';
import type { ProcessEnv, TimeEnv } from '../platform/env.ts';
import type { Parts } from './parts.ts';

/** The end of a server. */
export type Stop = {
  readonly isStopping: () => boolean;
  /** Announces the stop, waits for `--http-shutdown-wait`, and closes everything. Every call returns the same promise. */
  readonly close: () => Promise<void>;
  /** Closes everything and ends the process with exit code 1. */
  readonly stopAfterFailure: () => void;
};

/** `announce` is called when the stop begins, while the server still answers. */
export function createStop(
  { http }: Pick<Config, 'http'>,
  env: ProcessEnv & TimeEnv,
  parts: Pick<Parts, 'close'>,
  announce = (): void => {},
): Stop {
  let closed: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    announce();
    // A load balancer sees that the server is unhealthy and sends no more requests. AvalancheGo: node/node.go, shutdown.
    if (http.shutdownWait > 0) await sleep(env.timers, http.shutdownWait);
    await parts.close();
  };
  const close = (): Promise<void> => {
    closed ??= stop();
    return closed;
  };
  return { isStopping: () => closed !== undefined, close, stopAfterFailure: () => void close().then(() => env.exit(1)) };
}
