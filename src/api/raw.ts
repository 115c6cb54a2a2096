import { Fault } from '../fault.ts';

/** A whole answer that is JSON already: sent as it stands. It cannot be part of another value. */
export class Raw {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }

  toJSON(): never {
    throw new RawError('rendered JSON can only be a whole answer', { code: 'API_RAW_INSIDE' });
  }
}

export const raw = (json: string | Uint8Array): Raw => new Raw(json);

export type RawFault = { code: 'API_RAW_INSIDE' };
export class RawError extends Fault<RawFault> {}
