import { Fault } from '../fault.ts';

export type CodecFault =
  | { code: 'CODEC_TOO_SHORT' }
  | { code: 'CODEC_LIST_TOO_LONG'; count: number }
  | { code: 'CODEC_EMPTY_ELEMENT' }
  | { code: 'CODEC_UNKNOWN_TYPE'; typeID: number }
  | { code: 'CODEC_WRONG_TYPE'; typeID: number; slot: string }
  | { code: 'CODEC_VERSION' }
  | { code: 'CODEC_TOO_LARGE'; size: number; max: number }
  | { code: 'CODEC_TRAILING_BYTES'; read: number; provided: number };
export class CodecError extends Fault<CodecFault> {}
