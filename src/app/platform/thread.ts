/** A worker thread that answers each message with one message, in order. If it fails or exits, pending and later requests are rejected. */
type Thread = { readonly request: (message: Uint8Array) => Promise<Uint8Array>; readonly close: () => void };

/** Starts a worker thread with the given file. It does not keep the process alive. */
export function openThread(entry: URL): Thread {
  // Loaded here because most nodes start no thread.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker = new Worker(entry);
  const pending: PromiseWithResolvers<Uint8Array>[] = [];
  let ended: Error | undefined;
  const end = (reason: Error): void => {
    if (ended !== undefined) return;
    ended = reason;
    for (const { reject } of pending.splice(0)) reject(reason);
    void worker.terminate();
  };
  worker.on('message', (response: Uint8Array) => pending.shift()?.resolve(response));
  // Without a listener, an error in the thread would terminate the whole process.
  worker.on('error', end);
  worker.on('messageerror', end);
  worker.on('exit', (code) => end(new Error(`the thread exited with code ${code}`)));
  worker.unref();
  return {
    request: (message) => {
      if (ended !== undefined) return Promise.reject(ended);
      const response = Promise.withResolvers<Uint8Array>();
      pending.push(response);
      worker.postMessage(message);
      return response.promise;
    },
    close: () => end(new Error('the thread was closed')),
  };
}
