import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** Entry point of a thread that sends a cheap call repeatedly on its own connection, and reports the longest response time on request. */
const { port } = workerData as { readonly port: number };

const body = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}';
const request = `POST /ext/info HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

let longest = 0;
let sentAt: number | undefined;
const socket = connect(port, '127.0.0.1');
const send = (): void => {
  sentAt = performance.now();
  socket.write(request);
};
socket.on('connect', send);
socket.on('data', () => {
  longest = Math.max(longest, waited());
  sentAt = undefined;
  setTimeout(send, 1);
});

/** Milliseconds since the call that has no response yet; 0 if there is none. */
const waited = (): number => (sentAt === undefined ? 0 : performance.now() - sentAt);

parentPort?.on('message', () => {
  parentPort?.postMessage(Math.max(longest, waited()));
  longest = 0;
});
