/**
 * A separate process that reads a node's database while the node writes it. It repeatedly compares the index with the chain in one snapshot
 * and reports each height to its parent. After any message from its parent it checks every row and exits.
 */

import { openDatabase } from '../src/app/platform/bun/database.ts';
import { sqliteRunner } from '../src/ledger/store/sqlite-runner.ts';
import { createIndexChecker } from './index-check/check-index.ts';
import { localChainParams } from './wallet-kit.ts';

export type WatcherReport = { readonly height: number; readonly problems: readonly string[]; readonly isFullCheck: boolean };

const [path = ''] = process.argv.slice(2);
const db = openDatabase(path, { readonly: true });
db.exec('PRAGMA busy_timeout = 2000');
const run = sqliteRunner(db);
const { blockchainID: id, feeAsset } = localChainParams;
const checker = createIndexChecker([{ number: 1, id, feeAsset, completeFrom: 0 }], 'sqlite');
const lastHeight = db.prepare<{ height: number }>('SELECT max(height) AS height FROM c1_block');

let isLast = false;
process.on('message', () => {
  isLast = true;
});

let newSince = performance.now();
for (let checked = -1; ; ) {
  const isFullCheck = isLast;
  db.exec('BEGIN');
  const height = lastHeight.get()?.height ?? -1;
  const problems = isFullCheck ? run(checker.checkAll()) : height > checked ? run(checker.checkNew()) : [];
  db.exec('COMMIT');
  if (isFullCheck || height > checked || problems.length > 0)
    process.send?.({ height, problems, isFullCheck: isFullCheck } satisfies WatcherReport);
  if (height > checked) newSince = performance.now();
  checked = height;
  if (isFullCheck) break;
  // A tenth of the time without a new block, 2 to 20 ms: four of these processes that wait 2 ms each take an eighth of a processor.
  await Bun.sleep(Math.min(20, Math.max(2, (performance.now() - newSince) / 10)));
}
db.close();
process.disconnect?.();
