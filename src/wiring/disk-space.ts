import type { Config } from '../config.ts';
import { Fault } from '../fault.ts';

/** Why a node does not start, or stops. AvalancheGo: node/node.go, diskSpaceCheck. */
export function diskExhausted({ dataDir, disk: { required } }: Pick<Config, 'dataDir' | 'disk'>): DiskError {
  const flag = '--system-tracker-disk-required-available-space-percentage';
  return new DiskError(`less than ${required} % of the disk of ${dataDir} is free; free some space, or choose a lower ${flag}`, {
    code: 'DISK_EXHAUSTED',
    required,
  });
}

export type DiskFault = { code: 'DISK_EXHAUSTED'; required: number };
export class DiskError extends Fault<DiskFault> {}
