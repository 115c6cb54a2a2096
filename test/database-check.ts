import { expect } from 'bun:test';
import { join } from 'node:path';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import type { IndexSpec } from '../src/ledger/index-write/block-writer.ts';
import type { Database } from '../src/ledger/store/database.ts';
import { sqliteRunner } from '../src/ledger/store/sqlite-runner.ts';
import { createIndexChecker } from './index-check/check-index.ts';
import { auditState } from './state-audit.ts';
import { localChainParams } from './wallet-kit.ts';

/** The index of a local network's X-Chain, the only chain of its database. */
export const localIndex: IndexSpec = {
  number: 1,
  id: localChainParams.blockchainID,
  feeAsset: localChainParams.feeAsset,
  completeFrom: 0,
};

/** Checks every table of a stopped node against its blocks, with code that shares nothing with the writer's. */
export function checkDatabase(dataDir: string): void {
  const db = openDatabase(join(dataDir, 'db/serac.sqlite'), { readonly: true });
  expect(databaseProblems(db)).toEqual([]);
  db.close();
}

/** What differs between the tables of state and index and the blocks. */
export const databaseProblems = (db: Database): readonly string[] => [
  ...auditState(db),
  ...sqliteRunner(db)(createIndexChecker([localIndex], 'sqlite').checkAll()),
];
