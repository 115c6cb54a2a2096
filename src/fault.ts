/**
 * The one error class of the house. A fault has a code from birth: codes never change, texts follow the peer's.
 * Every room subclasses it over its own union of faults.
 */
export class Fault<F extends { readonly code: string }> extends Error {
  readonly fault: F;

  constructor(message: string, fault: F) {
    super(message);
    this.name = new.target.name;
    this.fault = fault;
  }
}

/** A fault of any room. */
export type AnyFault = Fault<{ readonly code: string }>;

/** The message of a fault, or any other thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Fault ? error.message : String(error));
