import { Fault } from '../../base/fault.ts';
import type { Config } from '../config/config.ts';

/** The error of a node that does not start, or stops, because the disk is nearly full. AvalancheGo: node/node.go, diskSpaceCheck. */
export function createDiskError({ dataDir, disk: { required } }: Pick<Config, 'dataDir' | 'disk'>): DiskError {
  const flag = '--system-tracker-disk-required-available-space-percentage';
  return new DiskError(`less than ${required} % of the disk of ${dataDir} is free; free some space, or choose a lower ${flag}`, {
    code: 'DISK_EXHAUSTED',
    required,
  });
}

type DiskFault = { code: 'DISK_EXHAUSTED'; required: number };
class DiskError extends Fault<DiskFault> {}
