import { Fault } from '../../base/fault.ts';

/** A complete response body that is JSON already and is sent unchanged. It cannot be part of another value. */
export class RenderedJson {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }

  toJSON(): never {
    throw new RenderedJsonError('rendered JSON can only be a complete response body', { code: 'API_RAW_INSIDE' });
  }
}

export const renderedJson = (json: string | Uint8Array): RenderedJson => new RenderedJson(json);

type RenderedJsonFault = { code: 'API_RAW_INSIDE' };
class RenderedJsonError extends Fault<RenderedJsonFault> {}
