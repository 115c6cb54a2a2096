import { parentPort } from 'node:worker_threads';

/** A thread that echoes messages. It fails on an empty message and never answers one that starts with 255. */
parentPort?.on('message', (message: Uint8Array) => {
  if (message.length === 0) throw new Error('the thread broke');
  if (message[0] !== 255) parentPort?.postMessage(message);
});
