import { Worker } from 'node:worker_threads';

/** A thread that answers every message with one, in order. `ask` rejects once the thread has failed or ended, also for what is pending. */
export type Thread = { readonly ask: (message: Uint8Array) => Promise<Uint8Array>; readonly close: () => void };

/** Starts a thread on a file. It keeps the process alive no longer than the process wants to live. */
export function openThread(entry: URL): Thread {
  const worker = new Worker(entry);
  const waiting: PromiseWithResolvers<Uint8Array>[] = [];
  let ended: Error | undefined;
  const end = (reason: Error): void => {
    if (ended !== undefined) return;
    ended = reason;
    for (const { reject } of waiting.splice(0)) reject(reason);
    void worker.terminate();
  };
  worker.on('message', (answer: Uint8Array) => waiting.shift()?.resolve(answer));
  // Without a listener an error in the thread would end the whole process.
  worker.on('error', end);
  worker.on('messageerror', end);
  worker.on('exit', (code) => end(new Error(`the thread ended with code ${code}`)));
  worker.unref();
  return {
    ask: (message) => {
      if (ended !== undefined) return Promise.reject(ended);
      const answer = Promise.withResolvers<Uint8Array>();
      waiting.push(answer);
      worker.postMessage(message);
      return answer.promise;
    },
    close: () => end(new Error('the thread was closed')),
  };
}
