import type { HttpResponse, WebSocketHandlers } from '../../api/http/message.ts';
import { serve } from './node/serve.ts';

/**
 * A server on node:http for web-socket.test.ts, which runs it in Node. Prints its port, then the events that the WebSocket handlers received.
 * `/` sends a short and a long text and closes, `/open` stays open, `/many` sends until the client takes no more, and again after that.
 */

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const scripts: { readonly [path: string]: () => WebSocketHandlers } = {
  '/': () => ({
    onOpen: (peer) => {
      peer.send('hello');
      peer.send('x'.repeat(70_000));
      peer.close();
    },
    onDrain: () => {},
    onClose: () => print('closed'),
  }),
  '/open': () => ({ onOpen: (peer) => void peer.send('open'), onDrain: () => {}, onClose: () => print('closed') }),
  '/many': () => {
    let close = (): void => {};
    return {
      onOpen: (peer) => {
        let sent = 1;
        while (peer.send('y'.repeat(1000))) sent++;
        print(`sent ${sent}`);
        close = peer.close;
      },
      onDrain: () => {
        print('drained');
        close();
      },
      onClose: () => print('closed'),
    };
  },
};

const handler = async ({ method, path, body }: Parameters<Parameters<typeof serve>[0]['handler']>[0]): Promise<HttpResponse> => {
  if (method === 'POST') return { status: 200, headers: {}, body: await body(1000) };
  const webSocket = scripts[path]?.();
  return webSocket === undefined
    ? { status: 404, headers: {}, body: 'none' }
    : { status: 101, headers: { 'x-extra': 'yes' }, body: '', webSocket };
};

const server = await serve({ host: '127.0.0.1', port: 0, handler, maxBodyMemory: 1_000_000, idleTimeout: 5 });
print(String(server.port));
process.once('SIGTERM', async () => {
  await server.close();
  print('stopped');
});
