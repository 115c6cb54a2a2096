import { isAfter } from '../../api/events/position.ts';
import type { StreamMessage } from './event-source.ts';

/** The most messages, and characters in them, that are kept; half of them go when there are more. */
const [maxMessages, maxCharacters] = [4096, 8_000_000];

/** The latest messages of the stream that have a position, from a position on; an empty one is now. */
export function createMessageBuffer(position: string) {
  let messages: StreamMessage[] = [];
  let characters = 0;
  /** The position before the first message. */
  let from = position;
  return {
    add: (message: StreamMessage): void => {
      if (message.kind === 'reset') [messages, characters, from] = [[], 0, message.id];
      else if (message.id !== '' && message.kind !== 'heartbeat') {
        messages.push(message);
        characters += message.data.length;
      }
      if (messages.length <= maxMessages && characters <= maxCharacters) return;
      from = messages.splice(0, Math.ceil(messages.length / 2)).at(-1)?.id ?? from;
      characters = messages.reduce((sum, { data }) => sum + data.length, 0);
    },
    /** The messages after a position; a `reset`, which makes a page load again, if some of them are no longer kept. */
    after: (wanted: string): readonly StreamMessage[] => {
      if (wanted === '' || from === '') return [];
      return isAfter(from, wanted) ? [resetMessage] : messages.filter(({ id }) => isAfter(id, wanted));
    },
  };
}

const resetMessage: StreamMessage = { kind: 'reset', data: '{"kind":"reset"}', id: '' };
