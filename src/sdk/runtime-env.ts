import { isBun } from '../app/platform/runtime.ts';
import type { createEnv as CreateEnv } from '../app/runtime/env.ts';

/**
 * Creates the environment of the runtime that runs this program. Unlike env.ts it loads the code of the environment when it is imported, not
 * when the first node is created: that takes several times as long as creating a node.
 */
export const createEnv: (...options: Parameters<typeof CreateEnv>) => Awaited<ReturnType<typeof CreateEnv>> = isBun
  ? (await import('../app/runtime/env-bun.ts')).createBunEnv
  : (await import('../app/runtime/env-node.ts')).createNodeEnv;
