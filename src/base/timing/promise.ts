/** A promise that is settled from outside. A rejection that nobody awaits is ignored. */
export function createDeferred(): PromiseWithResolvers<void> {
  const deferred = Promise.withResolvers<void>();
  deferred.promise.catch(() => {});
  return deferred;
}
