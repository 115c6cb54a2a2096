/** Known now, or soon. What is known now needs no turn of the event loop. */
export type Eventual<T> = T | Promise<T>;

export const after = <T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> =>
  value instanceof Promise ? value.then(next) : next(value);
