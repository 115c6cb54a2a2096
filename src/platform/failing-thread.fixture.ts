import { parentPort } from 'node:worker_threads';

/** A thread that echoes, fails at an empty message and never answers one that begins with 255. */
parentPort?.on('message', (asked: Uint8Array) => {
  if (asked.length === 0) throw new Error('the thread broke');
  if (asked[0] !== 255) parentPort?.postMessage(asked);
});
