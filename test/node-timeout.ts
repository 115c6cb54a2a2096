import type { NetworkNode } from './network-nodes.ts';

/** A node whose requests fail after a time, so that a frozen process does not hold a test up. */
export type TimedNode = NetworkNode;

export const nodesWithin = (nodes: readonly NetworkNode[], milliseconds: number): TimedNode[] =>
  nodes.map(({ name, client }) => ({
    name,
    client: {
      send: (...args) => within(client.send(...args), name, milliseconds),
      call: (...args) => within(client.call(...args), name, milliseconds),
      close: client.close,
    },
  }));

function within<T>(answer: Promise<T>, name: string, milliseconds: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`${name} did not answer within ${milliseconds} ms`)), milliseconds);
  answer.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
