import { Database } from 'bun:sqlite';
import { dataFilesIn } from '../src/app/node/data-files.ts';
import { type OuterBlock, parseOuterBlock } from '../src/network/proposervm/outer-block.ts';

/** The outer block at a height, from the database of a running node. Its inner block, which is stored elsewhere, is zeros of the same length. */
export function readOuterBlock(dataDir: string, height: bigint): OuterBlock {
  const db = new Database(dataFilesIn(dataDir).database, { readonly: true });
  try {
    const row = db.query('SELECT before, after FROM outer_block WHERE height = ?').get(Number(height)) as {
      before: Uint8Array;
      after: Uint8Array;
    };
    const inner = new Uint8Array(new DataView(row.before.buffer, row.before.byteOffset).getUint32(row.before.length - 4));
    return parseOuterBlock(new Uint8Array([...row.before, ...inner, ...row.after]));
  } finally {
    db.close();
  }
}
