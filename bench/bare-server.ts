/**
 * A minimal Bun server that reads the request and returns fixed bytes: an upper limit for any server on this runtime and machine.
 * Its responses come as JSON on stdin, an object of path to text; it ignores the query of a request. It prints its port to stdout.
 */
const responses = new Map(Object.entries(JSON.parse(await Bun.stdin.text()) as Record<string, string>));
/** The response to any other path: the transaction is issued and accepted. */
const accepted = '{"jsonrpc":"2.0","result":{"txID":"11111111111111111111111111111111LpoYY","status":"Accepted"},"id":1}\n';
const headers = { 'content-type': 'application/json; charset=utf-8' };

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(Bun.argv[2] ?? 0),
  fetch: async (request) => {
    await request.text();
    const start = request.url.indexOf('/', 8);
    const end = request.url.indexOf('?', start);
    const path = request.url.slice(start, end < 0 ? undefined : end);
    return new Response(responses.get(path) ?? accepted, { headers });
  },
});
console.log(server.port);

export {};
