import { isBun } from '../platform/runtime.ts';
import type { Env } from '../setup/env.ts';
import { createBunEnv } from './env-bun.ts';
import type { EnvOptions } from './env-common.ts';
import { createNodeEnv } from './env-node.ts';

/** Creates the environment of the runtime that runs this program. */
export const createEnv: (options: EnvOptions) => Env = isBun ? createBunEnv : createNodeEnv;
