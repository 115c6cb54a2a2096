import type { Address } from '../bytes/address.ts';
import { createMutex, type Mutex } from '../timing/mutex.ts';

/** Something that must have been done for addresses before they are told about. Rejects if it could not be done for one of them. */
export type PerAddress = (addresses: readonly Address[]) => Promise<void>;

export type PerAddressOptions = {
  /** For how many addresses it is done at once. */
  readonly atOnce: number;
  /** Milliseconds for which it need not be done again; for ever without it. */
  readonly holds?: { readonly milliseconds: number; readonly now: () => number };
};

/** The addresses that are remembered as done. */
const remembered = 200_000;

/** Several who want it for the same address wait for the same work. Which addresses are done is remembered in memory only. */
export function perAddress(work: (address: Address) => Promise<void>, { atOnce, holds }: PerAddressOptions): PerAddress {
  const doneUntil = new Map<Address, number>();
  const underWay = new Map<Address, Promise<void>>();
  const lanes = Array.from({ length: atOnce }, createMutex);
  let turn = 0;

  const isDone = (address: Address): boolean => (doneUntil.get(address) ?? Number.NEGATIVE_INFINITY) > (holds?.now() ?? 0);

  const one = async (address: Address): Promise<void> => {
    await work(address);
    doneUntil.delete(address);
    if (doneUntil.size >= remembered) doneUntil.delete(doneUntil.keys().next().value as Address);
    doneUntil.set(address, holds === undefined ? Number.POSITIVE_INFINITY : holds.now() + holds.milliseconds);
  };

  const shared = (address: Address): Promise<void> => {
    const before = underWay.get(address);
    if (before !== undefined) return before;
    const lane = lanes[turn++ % lanes.length] as Mutex;
    const mine = lane(() => one(address)).finally(() => underWay.delete(address));
    underWay.set(address, mine);
    return mine;
  };

  return async (addresses) => {
    await Promise.all([...new Set(addresses)].filter((address) => !isDone(address)).map(shared));
  };
}
