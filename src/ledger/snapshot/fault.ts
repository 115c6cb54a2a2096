import { Fault } from '../../base/fault.ts';

export type SnapshotFault =
  | { code: 'SNAPSHOT_UNKNOWN'; name: string }
  | { code: 'SNAPSHOT_BAD_NAME'; max: number }
  | { code: 'SNAPSHOT_LIMIT'; max: number }
  | { code: 'SNAPSHOT_OLD_INDEX'; snapshots: number }
  | { code: 'SNAPSHOT_NO_REORG'; max: number }
  | { code: 'SNAPSHOT_CHAIN_BUSY'; chainID: string }
  | { code: 'SNAPSHOT_DIFF_TOO_LARGE'; max: number };

export class SnapshotError extends Fault<SnapshotFault> {}
