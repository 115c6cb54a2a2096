import { Fault } from '../../base/fault.ts';

type SnowmanFault =
  | { code: 'SNOWMAN_BAD_PARAMETERS' }
  | { code: 'SNOWMAN_DUPLICATE_BLOCK'; id: string }
  | { code: 'SNOWMAN_UNKNOWN_PARENT'; id: string; parentID: string };
export class SnowmanError extends Fault<SnowmanFault> {}
