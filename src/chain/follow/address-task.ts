import type { Address } from '../../base/bytes/address.ts';
import { createSlots } from '../../base/timing/slots.ts';

/** A task that must be done for addresses before they are shown. Rejects if it fails for one of them. */
export type AddressTask = (addresses: readonly Address[]) => Promise<void>;

/** A task that knows for which addresses it is done. */
export type RecordedTask = AddressTask & { readonly isDone: (address: Address) => boolean };

/** Limit of addresses recorded as done. */
const maxDone = 200_000;

/** Concurrent callers for the same address share one run. Which addresses are done is recorded in memory only. */
export function createAddressTask(
  work: (address: Address) => Promise<void>,
  {
    concurrency,
    validFor,
  }: {
    /** Number of addresses processed at the same time. */
    readonly concurrency: number;
    /** Milliseconds after which the task is done again for an address; never if undefined. */
    readonly validFor?: { readonly milliseconds: number; readonly now: () => number };
  },
): RecordedTask {
  const doneUntil = new Map<Address, number>();
  const running = new Map<Address, Promise<void>>();
  const slots = createSlots({ total: concurrency });

  const isDone = (address: Address): boolean => (doneUntil.get(address) ?? Number.NEGATIVE_INFINITY) > (validFor?.now() ?? 0);

  const run = async (address: Address): Promise<void> => {
    await work(address);
    doneUntil.delete(address);
    if (doneUntil.size >= maxDone) doneUntil.delete(doneUntil.keys().next().value as Address);
    doneUntil.set(address, validFor === undefined ? Number.POSITIVE_INFINITY : validFor.now() + validFor.milliseconds);
  };

  const runOnce = (address: Address): Promise<void> => {
    const existing = running.get(address);
    if (existing !== undefined) return existing;
    const started = slots.run(() => run(address)).finally(() => running.delete(address));
    running.set(address, started);
    return started;
  };

  const runAll: AddressTask = async (addresses) => {
    await Promise.all([...new Set(addresses)].filter((address) => !isDone(address)).map(runOnce));
  };
  return Object.assign(runAll, { isDone });
}
