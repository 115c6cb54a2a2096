import { createBunEnv } from './bun/env.ts';
import type { EnvOptions } from './common-env.ts';
import type { Env } from './env.ts';
import { createNodeEnv } from './node/env.ts';
import { isBun } from './runtime.ts';

/** Creates the environment of the runtime that runs this program. */
export const createEnv: (options: EnvOptions) => Env = isBun ? createBunEnv : createNodeEnv;
