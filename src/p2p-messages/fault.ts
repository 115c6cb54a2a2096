import { Fault } from '../fault.ts';

/** Why bytes of a peer are not a message. All but FRAME_TOO_LARGE make AvalancheGo ignore the frame; that one closes the connection. */
export type MessageFault =
  | { code: 'MESSAGE_MALFORMED'; part: string }
  | { code: 'MESSAGE_UNKNOWN' }
  | { code: 'MESSAGE_ID_LENGTH'; length: number }
  | { code: 'MESSAGE_FIELD_TOO_LARGE'; length: number; max: number }
  | { code: 'MESSAGE_TOO_MANY_ELEMENTS'; max: number }
  | { code: 'MESSAGE_BAD_COMPRESSION' }
  | { code: 'MESSAGE_NO_ZSTD' }
  | { code: 'MESSAGE_TOO_LARGE'; length: number; max: number }
  | { code: 'FRAME_TOO_LARGE'; length: number; max: number };
export class MessageError extends Fault<MessageFault> {}

export const malformed = (part: string) => new MessageError(`malformed message: ${part}`, { code: 'MESSAGE_MALFORMED', part });
