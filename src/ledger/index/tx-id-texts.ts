import { type Id, idText } from '../../base/bytes/id.ts';

/**
 * The CB58 texts of transaction IDs as they stand in a JSON list, without the outer quotes: joined by `","`. They are stored for every block,
 * because reading and encoding thousands of IDs was most of the time of a page of blocks.
 */
export const joinIdTexts = (ids: readonly Id[]): Uint8Array => Buffer.from(ids.map(idText).join('","'), 'latin1');
