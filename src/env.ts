import { createBunEnv } from './env-bun.ts';
import type { EnvOptions } from './env-common.ts';
import { createNodeEnv } from './env-node.ts';
import { isBun } from './platform/runtime.ts';
import type { Env } from './wiring/env.ts';

/** Creates the environment of the runtime that runs this program. */
export const createEnv: (options: EnvOptions) => Env = isBun ? createBunEnv : createNodeEnv;
