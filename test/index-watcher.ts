/**
 * A process of its own that reads a node's database while the node writes it. Again and again it takes one moment of it and holds the index
 * against the chain; after a word from its parent it checks every row and ends. Tells each height that it has checked.
 */

import { syncStepRunner } from '../src/index/steps.ts';
import { indexChecker } from '../src/index-check/check-index.ts';
import { openDatabase } from '../src/platform/database-bun.ts';
import { localTerms } from './wallet-kit.ts';

export type FromWatcher = { readonly height: number; readonly problems: readonly string[]; readonly whole: boolean };

const [path = ''] = process.argv.slice(2);
const db = openDatabase(path, { readonly: true });
db.exec('PRAGMA busy_timeout = 2000');
const run = syncStepRunner(db);
const { blockchainID: id, feeAsset } = localTerms;
const checker = indexChecker([{ number: 1, id, feeAsset, completeFrom: 0 }], 'sqlite');
const top = db.prepare<{ height: number }>('SELECT max(height) AS height FROM c1_block');

let isLast = false;
process.on('message', () => {
  isLast = true;
});

for (let checked = -1; ; ) {
  const whole = isLast;
  db.exec('BEGIN');
  const height = top.get()?.height ?? -1;
  const problems = whole ? run(checker.whole()) : height > checked ? run(checker.next()) : [];
  db.exec('COMMIT');
  if (whole || height > checked || problems.length > 0) process.send?.({ height, problems, whole } satisfies FromWatcher);
  checked = height;
  if (whole) break;
  await Bun.sleep(2);
}
db.close();
process.disconnect?.();
