/** Marks the errors of all copies of this class: the entry points of the package are files of their own, which a program may load together. */
const faultMark = Symbol.for('serac.Fault');

/**
 * Base class of all errors this project throws on purpose. `code` is stable; the message follows AvalancheGo's text.
 * Every module subclasses it with its own union of fault types.
 */
export class Fault<F extends { readonly code: string }> extends Error {
  readonly fault: F;

  constructor(message: string, fault: F) {
    super(message);
    this.name = new.target.name;
    this.fault = fault;
  }

  get [faultMark](): true {
    return true;
  }

  /** The stable code of the cause, from docs/reference/errors.md. */
  get code(): string {
    return this.fault.code;
  }

  /** Facts about the cause; errors.md says which a code has. */
  get data(): unknown {
    return this.fault;
  }
}

/** Whether a thrown value is a fault, also one of another copy of this module. */
export const isFault = (value: unknown): value is AnyFault => typeof value === 'object' && value !== null && faultMark in value;

/** A fault of any module. */
export type AnyFault = Fault<{ readonly code: string }>;

/** The message of a fault, or any other thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Fault ? error.message : String(error));

/** The cause alone, for a message that already says where it happened; the whole message of an error that does not tell its cause apart. */
export function whyOf(error: unknown): string {
  const why = error instanceof Fault ? (error.fault as { readonly why?: unknown }).why : undefined;
  return typeof why === 'string' ? why : messageOf(error);
}

/** The result of `work`; undefined if it throws. For input from outside that is allowed to be malformed or missing. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The result of `work`; undefined if it throws a fault. Other errors are bugs, and are thrown. */
export function unlessFault<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The fault that `work` throws; undefined if it throws none. Other errors are thrown. */
export function faultOf(work: () => void): AnyFault | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
