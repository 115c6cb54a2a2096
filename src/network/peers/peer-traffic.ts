import { MessageError } from '../messages/fault.ts';
import { messageSize } from '../messages/frame.ts';
import { decodeMessage, type Message } from '../messages/message.ts';
import { countTraffic, increment } from './counters.ts';
import { type EncodedMessage, encodeForPeers } from './encoded-message.ts';
import type { OutboundQueue } from './outbound-queue.ts';
import type { PeerContext } from './peer-context.ts';

/** Encodes and decodes the messages of one peer, and counts them. `tooLarge` is called for a message that exceeds a limit of AvalancheGo. */
export function createPeerTraffic(
  { options, timing, counters }: Pick<PeerContext, 'options' | 'timing' | 'counters'>,
  queue: Pick<OutboundQueue, 'push'>,
  tooLarge: (details: string) => void,
) {
  let lastSent = 0n;
  let lastReceived = 0n;
  let decompressedSize: number | undefined;
  const onDecompressed = (size: number): void => {
    decompressedSize = size;
  };

  /** Undefined for a message that AvalancheGo ignores; limits of handshakes and peer lists close the connection. */
  const decode = (bytes: Uint8Array): Message | undefined => {
    decompressedSize = undefined;
    try {
      return decodeMessage(bytes, onDecompressed);
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      counters.failedToParse++;
      if (isLimit.has(error.fault.code) && closingKinds.has(error.messageKind ?? '')) tooLarge(error.message);
      return undefined;
    }
  };

  const send = (message: EncodedMessage, isExempt = false): boolean => {
    if (!queue.push(message.frame, isExempt, timing.now())) {
      increment(counters.failedToSend, message.kind);
      return false;
    }
    lastSent = timing.unixSeconds();
    counters.lastSent = lastSent;
    countTraffic(counters.sent, message.kind, messageSize(message.frame), message.isCompressed, message.saved);
    return true;
  };

  return {
    send,
    sendMessage: (message: Message, isExempt = false): boolean => send(encodeForPeers(message, options.compression), isExempt),
    receive: (bytes: Uint8Array): Message | undefined => {
      const message = decode(bytes);
      if (message === undefined) return undefined;
      lastReceived = timing.unixSeconds();
      counters.lastReceived = lastReceived;
      const isCompressed = decompressedSize !== undefined;
      countTraffic(counters.received, message.kind, bytes.length, isCompressed, (decompressedSize ?? bytes.length) - bytes.length);
      return message;
    },
    /** Bytes by which the last received message, good or bad, grew when it was decompressed. */
    excess: (bytes: Uint8Array): number => Math.max(0, (decompressedSize ?? 0) - bytes.length),
    /** Unix seconds of the last message in each direction; 0: never. */
    last: () => ({ lastSent, lastReceived }),
  };
}

export type PeerTraffic = ReturnType<typeof createPeerTraffic>;

/** Messages whose limits AvalancheGo checks itself; in others it has no limits, or ignores the message. */
const closingKinds: ReadonlySet<string> = new Set(['handshake', 'peerList', 'getPeerList']);
const isLimit: ReadonlySet<string> = new Set(['MESSAGE_FIELD_TOO_LARGE', 'MESSAGE_TOO_MANY_ELEMENTS', 'MESSAGE_ID_LENGTH']);
