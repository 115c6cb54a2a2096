import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { bulkInsert } from '../../ledger/store/bulk-insert.ts';
import type { Store } from '../../ledger/store/store.ts';
import { type OuterBlock, parseOuterBlock, splitOuterBlock } from '../proposervm/outer-block.ts';
import { OuterChainError } from './fault.ts';

/**
 * The accepted outer blocks of a chain on a network. An outer block wraps a block of the chain, the inner block, and says who proposed it and when; it is
 * AvalancheGo's ProposerVM block. The chain itself stores the inner block, so a row has only the bytes before and after it. outer-vm.ts is the
 * only user: it adds accepted blocks and reads them for peers.
 */
export type OuterStore = ReturnType<typeof openOuterStore>;

type AcceptedOuterBlock = { readonly outer: OuterBlock; readonly height: bigint };

const schema = `
  CREATE TABLE IF NOT EXISTS outer_block(
    chain INTEGER NOT NULL, height INTEGER NOT NULL, id BLOB NOT NULL, before BLOB NOT NULL, after BLOB NOT NULL,
    PRIMARY KEY (chain, height)) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS outer_block_id ON outer_block(chain, id);`;

/** Opens the table; the chain must have its state in the same store. `innerBytesAt` reads the accepted inner block at a height. */
export function openOuterStore(store: Store, chainID: Id, innerBytesAt: (height: bigint) => Uint8Array | undefined) {
  const { db } = store;
  if (!store.readonly) store.write(() => db.exec(schema));
  const chain = getChainNumber(store, chainID);
  const lastRow = db.prepare<{ height: number; id: Uint8Array }>(
    'SELECT height, id FROM outer_block WHERE chain = ? ORDER BY height DESC LIMIT 1',
  );
  const idByHeight = db.prepare<{ id: Uint8Array }>('SELECT id FROM outer_block WHERE chain = ? AND height = ?');
  const rowById = db.prepare<{ height: number; before: Uint8Array; after: Uint8Array }>(
    'SELECT height, before, after FROM outer_block WHERE chain = ? AND id = ?',
  );
  const insertRows = bulkInsert(db, 'INSERT INTO outer_block', 5);
  const deleteAbove = db.prepare('DELETE FROM outer_block WHERE chain = ? AND height > ?');

  return {
    last: (): { readonly id: Id; readonly height: bigint } | undefined => {
      const row = lastRow.get(chain);
      return row && { id: idFromBytes(row.id), height: BigInt(row.height) };
    },
    /** The height may come from a peer, so it may be larger than any number in the table. */
    idAt: (height: bigint): Id | undefined => {
      const row = height > Number.MAX_SAFE_INTEGER ? undefined : idByHeight.get(chain, Number(height));
      return row && idFromBytes(row.id);
    },
    /** The whole outer block; undefined if it is not accepted. Throws if it cannot be joined again from the row and the inner block. */
    bytes: (id: Id): Uint8Array | undefined => {
      const row = rowById.get(chain, idToBytes(id));
      if (row === undefined) return undefined;
      const inner = innerBytesAt(BigInt(row.height));
      const bytes = inner && concat([row.before, inner, row.after]);
      if (bytes === undefined || !hasId(bytes, id)) throw damaged(store, id);
      return bytes;
    },
    /** Must run inside the write transaction that stores the inner blocks, so that both are stored or neither is. */
    insert: (blocks: readonly AcceptedOuterBlock[]): void =>
      insertRows(
        blocks.flatMap(({ outer, height }) => {
          const { before, after } = splitOuterBlock(outer);
          return [chain, Number(height), idToBytes(outer.id), before, after];
        }),
      ),
    /**
     * Removes the blocks above the last inner block. Only called at the start, in a transaction of its own, for a database that has more outer blocks
     * than inner ones; `insert` never leaves one behind.
     */
    removeAbove: (height: bigint): void => void store.write(() => deleteAbove.run(chain, Number(height))),
  };
}

function hasId(bytes: Uint8Array, id: Id): boolean {
  try {
    return parseOuterBlock(bytes).id === id;
  } catch {
    return false;
  }
}

function damaged(store: Store, id: Id): OuterChainError {
  const row = `outer block ${idText(id)}`;
  const message = `the database is damaged: ${row} does not match its ID; restore a backup, or join again with a new data directory`;
  store.noteDamage(message);
  return new OuterChainError(message, { code: 'OUTER_DAMAGED', row });
}
