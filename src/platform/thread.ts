import { Worker } from 'node:worker_threads';

/** A thread that answers every message with one, in order. */
export type Thread = { readonly ask: (message: Uint8Array) => Promise<Uint8Array>; readonly close: () => void };

/** Starts a thread on a file. It keeps the process alive no longer than the process wants to live. */
export function openThread(entry: URL): Thread {
  const worker = new Worker(entry);
  const waiting: ((answer: Uint8Array) => void)[] = [];
  worker.on('message', (answer: Uint8Array) => waiting.shift()?.(answer));
  worker.unref();
  return {
    ask: (message) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        worker.postMessage(message);
      }),
    close: () => void worker.terminate(),
  };
}
