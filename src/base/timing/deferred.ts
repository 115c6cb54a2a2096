/** A promise that is settled from outside. A rejection that nobody awaits is ignored. */
type Deferred = { readonly promise: Promise<void>; readonly resolve: () => void; readonly reject: (error: unknown) => void };

export function createDeferred(): Deferred {
  let resolve = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
