import { Fault } from '../../base/fault.ts';

/** Whether this program runs on Bun; otherwise it runs on Node. */
export const isBun: boolean = process.versions.bun !== undefined;

export type RuntimeFault = { code: 'RUNTIME_NEEDS_BUN'; feature: string };
export class RuntimeError extends Fault<RuntimeFault> {}

export const needsBun = (feature: string) =>
  new RuntimeError(`${feature} needs Bun, but this process runs on Node; install Serac with its dependency bun`, {
    code: 'RUNTIME_NEEDS_BUN',
    feature,
  });
