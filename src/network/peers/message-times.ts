import type { Id } from '../../base/bytes/id.ts';
import type { MessageKind } from '../messages/message.ts';

/** Messages of a chain and a kind, and the sum of their times in milliseconds. */
export type MessageTime = { readonly chainId: Id; readonly kind: MessageKind; readonly count: number; readonly sum: number };

type MessageTimes = {
  readonly observe: (chainId: Id, kind: MessageKind, milliseconds: number) => void;
  readonly read: () => MessageTime[];
};

export function createMessageTimes(): MessageTimes {
  const chains = new Map<Id, Map<MessageKind, { count: number; sum: number }>>();
  const rowOf = (chainId: Id, kind: MessageKind) => {
    const kinds = chains.get(chainId) ?? new Map<MessageKind, { count: number; sum: number }>();
    const row = kinds.get(kind) ?? { count: 0, sum: 0 };
    if (row.count === 0) chains.set(chainId, kinds.set(kind, row));
    return row;
  };
  return {
    observe: (chainId, kind, milliseconds) => {
      const row = rowOf(chainId, kind);
      row.count++;
      row.sum += milliseconds;
    },
    read: () => [...chains].flatMap(([chainId, kinds]) => [...kinds].map(([kind, row]) => ({ chainId, kind, ...row }))),
  };
}
