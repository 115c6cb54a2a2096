import { openDatabase } from '../platform/database-bun.ts';
import { openPostgres } from '../platform/postgres-bun.ts';
import { readerEnvironment, spawnReaderProcess } from '../platform/processes-bun.ts';
import { openRedis } from '../platform/redis-bun.ts';
import { serve } from '../platform/serve-bun.ts';
import { supervisedEnvironment } from '../platform/supervised-process.ts';
import type { Env } from '../setup/env.ts';
import { createCommonEnv, createConnections, type EnvOptions } from './env-common.ts';

/** Creates the environment of a node on Bun: clock, randomness, files, databases, sockets and processes of this machine. */
export function createBunEnv(options: EnvOptions): Env {
  const connections = createConnections(options);
  return {
    ...createCommonEnv(options),
    openDatabase,
    openRedis,
    openPostgres,
    serve: (served) => serve({ ...served, connectionLimit: connections() }),
    connections,
    spawnReader: () => spawnReaderProcess(ownCommand(options.program), readerEnvironment(process.env)),
    spawnWriter: (start) => spawnReaderProcess(ownCommand(options.program), supervisedEnvironment(process.env, start)),
  };
}

/** Other processes run with the flags that the launcher gave this process. A single-file executable takes only its own arguments. */
const ownCommand = (program: string | undefined): string[] => [
  process.execPath,
  ...(program === undefined ? [] : [...process.execArgv, program]),
  ...process.argv.slice(2),
];
