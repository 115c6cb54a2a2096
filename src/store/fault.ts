import { Fault } from '../fault.ts';

export type StoreFault =
  | { code: 'STORE_IN_USE'; path: string }
  | { code: 'STORE_OTHER_NETWORK'; stored: number; wanted: number }
  | { code: 'STORE_OTHER_GENESIS'; stored: string; wanted: string }
  | { code: 'STORE_OTHER_SCHEMA'; stored: number; wanted: number }
  | { code: 'STORE_EMPTY' }
  | { code: 'STORE_FAILED' };

export class StoreError extends Fault<StoreFault> {}

/** What the driver said, as a fault of ours. */
export function storeFailed(what: string, cause: unknown): StoreError {
  const fault = new StoreError(`${what}: ${(cause as { message?: string }).message ?? cause}`, { code: 'STORE_FAILED' });
  fault.cause = cause;
  return fault;
}
