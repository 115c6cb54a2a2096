import type { HttpRequest, HttpResponse } from '../../src/api/http/message.ts';
import { serve } from '../../src/app/platform/node/serve.ts';

/* The HTTP server of Node with a handler that reads the body; prints its port. Ends with its parent, when nobody reads what it prints. */

const handler = async (request: HttpRequest): Promise<HttpResponse> => {
  const body = await request.body(1000);
  return { status: 201, headers: { 'content-type': 'text/x' }, body: `${request.method} ${request.path.length} ${body.length}` };
};
const server = await serve({ host: '127.0.0.1', port: 0, handler, maxBodyMemory: 65_536, idleTimeout: 10, bodyTimeout: 500 });
process.stdout.write(`${server.port}\n`);
