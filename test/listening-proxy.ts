import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that answers every request with 502 and lists what it has seen: method, URL and `Authorization`. */
type ListeningProxy = { readonly url: string; readonly seen: readonly string[]; readonly close: () => void };

async function startProxy(): Promise<ListeningProxy> {
  const seen: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    seen.push([method, url, headers.authorization].filter(Boolean).join(' '));
    response.writeHead(502).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close: () => void server.close() };
}

/** Starts a proxy that `fetch` of this process uses while `run` runs. Returns what the proxy has seen. */
export async function withProxy(run: () => Promise<void>): Promise<readonly string[]> {
  const proxy = await startProxy();
  const before = ['http_proxy', 'no_proxy', 'NO_PROXY'].map((name) => [name, process.env[name]] as const);
  for (const [name] of before) delete process.env[name];
  process.env.http_proxy = proxy.url;
  try {
    await run();
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    proxy.close();
  }
  return proxy.seen;
}
