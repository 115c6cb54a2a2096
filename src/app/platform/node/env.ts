import { oldestNode } from '../../home.ts';
import { createCommonEnv, createConnections, type EnvOptions, type RuntimeEnv } from '../common-env.ts';
import type { Env } from '../env.ts';
import { needsBun, requireRecentNode, requireZstd } from '../runtime.ts';
import { supervisedEnvironment } from '../supervised-process.ts';
import { openDatabase } from './database.ts';
import { spawnReaderProcess } from './processes.ts';

/** Creates the environment of a node on Node. It has no clients of PostgreSQL and Redis: those are Bun's. Throws on a Node that is too old. */
export function createNodeEnv(options: EnvOptions): Env {
  // On an older Node something else may fail before a database is opened.
  requireRecentNode(oldestNode);
  return { ...createCommonEnv(options), ...createRuntimeEnv(options) };
}

function createRuntimeEnv(options: EnvOptions): RuntimeEnv {
  const connections = createConnections(options);
  return {
    openDatabase,
    openRedis: async () => {
      throw needsBun('Redis (--cache-url)');
    },
    loadPostgres: async () => {
      throw needsBun('PostgreSQL (--database-url)');
    },
    openPeerSockets: async (certificate, privateKey) => {
      requireZstd();
      return (await import('./peer-sockets.ts')).openPeerSockets(certificate, privateKey);
    },
    // Loading node:http takes about 30 ms, and a node inside another program may never listen.
    serve: async (served) => (await import('./serve.ts')).serve({ ...served, connectionLimit: connections() }),
    connections,
    spawnReader: () => spawnReaderProcess(ownCommand(options.program), process.env),
    spawnWriter: (start) => spawnReaderProcess(ownCommand(options.program), supervisedEnvironment(process.env, start)),
  };
}

/** Node prints in every process that node:sqlite is experimental. */
const hideSqliteWarning = '--disable-warning=ExperimentalWarning';

const ownCommand = (program = ''): string[] => [process.execPath, hideSqliteWarning, program, ...process.argv.slice(2)];
