import { isBun } from '../platform/runtime.ts';
import type { Env } from '../setup/env.ts';
import type { EnvOptions } from './env-common.ts';

/** Creates the environment of the runtime that runs this program. The other one's is not loaded, because its modules do not exist here. */
export async function createEnv(options: EnvOptions): Promise<Env> {
  if (isBun) return (await import('./env-bun.ts')).createBunEnv(options);
  return (await import('./env-node.ts')).createNodeEnv(options);
}
