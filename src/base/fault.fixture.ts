import type { AnyFault } from './fault.ts';

/** The fault that work throws; undefined if it throws nothing. */
export function faultOf(work: () => unknown): object | undefined {
  try {
    work();
  } catch (error) {
    return (error as AnyFault).fault;
  }
  return undefined;
}
