/** A promise that is settled from outside. A rejection that nobody awaits is ignored. */
export function createDeferred(): PromiseWithResolvers<void> {
  const deferred = Promise.withResolvers<void>();
  deferred.promise.catch(() => {});
  return deferred;
}

/** A value, or a promise of it. A value that is known already is used at once, without waiting for a turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value: at once, or when the promise resolves. */
export const andThen = <T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value);
