/** A server on Node with a limit of connections, run by serve-connections.test.ts. Prints its port, and its check when it is told to stop. */
import { createConnectionLimit } from './connection-limit.ts';
import { serve } from './node/serve.ts';

const handles = { limit: 64, open: 32 };
const connectionLimit = createConnectionLimit(
  handles,
  () => {},
  () => 0,
  () => {},
);
const handler = async () => ({ status: 201, headers: {}, body: 'here' });
const server = await serve({ host: '127.0.0.1', port: 0, handler, maxBodyMemory: 65_536, idleTimeout: 60, connectionLimit });
process.stdout.write(`${server.port}\n`);
process.once('SIGTERM', async () => {
  await server.close();
  process.stdout.write(`${JSON.stringify(connectionLimit.check())}\n`);
});
