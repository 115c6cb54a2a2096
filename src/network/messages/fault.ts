import { Fault } from '../../base/fault.ts';

/**
 * Why bytes of a peer are not a message. AvalancheGo ignores a message that is malformed, unknown or badly compressed; it closes the connection
 * for a frame that is too large, and for handshakes and peer lists that break a limit.
 */
type MessageFault =
  | { code: 'MESSAGE_MALFORMED'; part: string }
  | { code: 'MESSAGE_UNKNOWN' }
  | { code: 'MESSAGE_ID_LENGTH'; length: number }
  | { code: 'MESSAGE_FIELD_TOO_LARGE'; length: number; max: number }
  | { code: 'MESSAGE_TOO_MANY_ELEMENTS'; max: number }
  /** `length`: bytes that may have been decompressed before it was found. */
  | { code: 'MESSAGE_BAD_COMPRESSION'; length: number }
  | { code: 'MESSAGE_TOO_LARGE'; length: number; max: number }
  | { code: 'FRAME_TOO_LARGE'; length: number; max: number };
export class MessageError extends Fault<MessageFault> {
  /** The kind of the message whose fields were being read, if it was reached. */
  messageKind: string | undefined;
}

export const malformed = (part: string) => new MessageError(`malformed message: ${part}`, { code: 'MESSAGE_MALFORMED', part });
