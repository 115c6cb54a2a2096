import { Fault } from '../base/fault.ts';

export type OptionFault = { code: 'OPTION_INVALID' } | { code: 'OPTION_UNKNOWN'; option: string };
/** An option of `createNode` that does not exist or has a value that is not allowed. */
export class OptionError extends Fault<OptionFault> {}
