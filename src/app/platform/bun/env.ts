import { createCommonEnv, createConnections, type EnvOptions } from '../common-env.ts';
import type { Env } from '../env.ts';
import { supervisedEnvironment } from '../supervised-process.ts';
import { openDatabase } from './database.ts';
import { readerEnvironment, spawnReaderProcess } from './processes.ts';
import { serve } from './serve.ts';

/** Creates the environment of a node on Bun: clock, randomness, files, databases, sockets and processes of this machine. */
export function createBunEnv(options: EnvOptions): Env {
  const connections = createConnections(options);
  return {
    ...createCommonEnv(options),
    openDatabase,
    openRedis: async (url, watch) => (await import('./redis.ts')).openRedis(url, watch),
    loadPostgres: async () => (await import('./postgres.ts')).openPostgres,
    openPeerSockets: async (certificate, privateKey) => (await import('./peer-sockets.ts')).openPeerSockets(certificate, privateKey),
    serve: (served) => serve({ ...served, connectionLimit: connections() }),
    connections,
    spawnReader: () => spawnReaderProcess(ownCommand(options.program), readerEnvironment(process.env)),
    spawnWriter: (start) => spawnReaderProcess(ownCommand(options.program), supervisedEnvironment(process.env, start)),
  };
}

/** Other processes run with the flags of Bun that bin/launcher.js gave this process. A single-file executable takes only its own arguments. */
const ownCommand = (program: string | undefined): string[] => [
  process.execPath,
  ...(program === undefined ? [] : [...process.execArgv, program]),
  ...process.argv.slice(2),
];
