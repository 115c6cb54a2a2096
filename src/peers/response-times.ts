import type { Id } from '../bytes/id.ts';
import type { MessageKind } from '../p2p-messages/message.ts';

/** Responses per chain and kind, with the sum of their latencies in milliseconds. */
export type ResponseTime = { readonly chainId: Id; readonly kind: MessageKind; readonly count: number; readonly sum: number };

export type ResponseTimes = {
  readonly observe: (chainId: Id, kind: MessageKind, milliseconds: number) => void;
  readonly read: () => ResponseTime[];
};

export function createResponseTimes(): ResponseTimes {
  const rows = new Map<string, { chainId: Id; kind: MessageKind; count: number; sum: number }>();
  return {
    observe: (chainId, kind, milliseconds) => {
      const key = `${chainId} ${kind}`;
      const row = rows.get(key) ?? { chainId, kind, count: 0, sum: 0 };
      row.count++;
      row.sum += milliseconds;
      rows.set(key, row);
    },
    read: () => [...rows.values()],
  };
}
