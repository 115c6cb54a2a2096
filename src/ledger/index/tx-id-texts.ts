import { type Id, idText } from '../../base/bytes/id.ts';

/**
 * The CB58 texts of transaction IDs as they stand in a JSON list, without the outer quotes: joined by `","`. They are stored for large blocks,
 * because reading and encoding thousands of IDs was most of the time of a page of such blocks: 5.4 ms instead of 1.3 ms.
 */
export const joinIdTexts = (ids: readonly Id[]): Uint8Array => Buffer.from(ids.map(idText).join('","'), 'latin1');

/** Transactions of a block whose IDs are made from `tx` on reading: for a page of 100 such blocks that takes no longer than reading stored texts. */
export const maxDerivedIds = 4;
