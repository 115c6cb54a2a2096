import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** The entry of a thread that sends a cheap call again and again on its own connection, and tells the longest wait when asked. */
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

/** Milliseconds since a call that has no answer yet. */
const waited = (): number => (sentAt === undefined ? 0 : performance.now() - sentAt);

parentPort?.on('message', () => {
  parentPort?.postMessage(Math.max(longest, waited()));
  longest = 0;
});
