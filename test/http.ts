import http from 'node:http';

export type ClientResponse = { readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly text: string };

/** A plain HTTP client on Node's `http`: it also sends unusual hosts and methods, and requests without the usual headers. */
export type Client = {
  readonly send: (method: string, path: string, headers?: Record<string, string>, body?: string | Uint8Array) => Promise<ClientResponse>;
  readonly call: (
    path: string,
    method: string,
    params?: unknown,
  ) => Promise<{ result?: never; error?: { code: number; message: string; data: unknown } }>;
  readonly close: () => void;
};

/** Creates a client. `from`: the client address that the server sees; on Linux any address 127.x.x.x works. */
export function createClient(port: number, host = '127.0.0.1', from?: string): Client {
  const target = { host, port, ...(from === undefined ? {} : { localAddress: from }) };
  const agent = new http.Agent({ keepAlive: true });
  const send: Client['send'] = (method, path, headers = {}, body) =>
    new Promise((resolve, reject) => {
      const allHeaders: Record<string, string | number> = { ...headers };
      if (body !== undefined) allHeaders['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
      const request = http.request({ ...target, method, path, headers: allHeaders, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        // The connection was closed before the end of the response.
        response.on('error', reject);
        response.on('close', () => reject(Object.assign(new Error('the response is incomplete'), { code: 'ECONNRESET' })));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      request.on('error', reject);
      if (body !== undefined) request.write(body);
      request.end();
    });
  return {
    send,
    call: async (path, method, params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
      return JSON.parse((await send('POST', path, { 'content-type': 'application/json' }, body)).text);
    },
    close: () => agent.destroy(),
  };
}
