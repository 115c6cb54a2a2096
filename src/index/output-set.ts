import type { Utxo } from '../tx/utxo.ts';
import { tieBlob } from './blob.ts';
import { isAlone } from './output-amount.ts';
import { type Shelf, shelves } from './tables.ts';

/** The set of an output that is unspent: single-owner or multi-owner. */
export const openShelf = ({ output }: Utxo): Shelf => (isAlone(output) ? shelves.open : shelves.sharedOpen);

/** The set of an output that is spent. */
export const spentShelf = ({ output }: Utxo): Shelf => (isAlone(output) ? shelves.spent : shelves.sharedSpent);

/** What orders outputs of equal time or amount. */
export const tieOf = ({ id }: Utxo): Uint8Array => tieBlob(id);
