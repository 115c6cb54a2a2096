import { expect } from 'bun:test';
import { join } from 'node:path';
import { openDatabase } from '../src/app/platform/database-bun.ts';
import { syncStepRunner } from '../src/ledger/index/steps.ts';
import { createIndexChecker } from './index-check/check-index.ts';
import { auditState } from './state-audit.ts';
import { localChainParams } from './wallet-kit.ts';

/** Checks every table of a stopped node against its blocks, with code that shares nothing with the writer's. */
export function checkDatabase(dataDir: string): void {
  const db = openDatabase(join(dataDir, 'db/serac.sqlite'), { readonly: true });
  expect(auditState(db)).toEqual([]);
  const { blockchainID: id, feeAsset } = localChainParams;
  const checker = createIndexChecker([{ number: 1, id, feeAsset, completeFrom: 0 }], 'sqlite');
  expect(syncStepRunner(db)(checker.checkAll())).toEqual([]);
  db.close();
}
