/**
 * A server of the same runtime that does nothing but read the request and answer bytes it was given: the most that any program
 * could reach here. Answers come as JSON on stdin, path to text; what a request asks behind a question mark is not looked at.
 * The port it picked goes to stdout.
 */
const answers = new Map(Object.entries(JSON.parse(await Bun.stdin.text()) as Record<string, string>));
/** What all else is answered with: that any transaction is taken and accepted at once. */
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
    return new Response(answers.get(path) ?? accepted, { headers });
  },
});
console.log(server.port);

export {};
