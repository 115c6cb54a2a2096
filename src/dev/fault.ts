import { Fault } from '../fault.ts';

/** Errors of the `dev.*` methods. */
export type DevFault =
  | { code: 'DEV_BAD_TIME'; time: string; min: string; max: string }
  | { code: 'DEV_TOO_MANY_BLOCKS'; blocks: string; max: number }
  | { code: 'DEV_NO_FILLER_FUNDS'; address: string; need: string }
  | { code: 'DEV_NOT_MINED' }
  | { code: 'DEV_NOT_PENDING'; txID: string }
  | { code: 'DEV_NOT_DECODABLE'; tx: string; block: string; utxo: string }
  | { code: 'DEV_UNKNOWN_TX'; txID: string; max: number }
  | { code: 'DEV_UNKNOWN_METHOD'; method: string; didYouMean?: string }
  | { code: 'DEV_LIMIT'; what: string; max: number }
  | { code: 'DEV_BALANCE_TOO_HIGH'; balance: string; wanted: string }
  /** An error that `dev.failNext` ordered. */
  | { code: 'DEV_ORDERED_FAILURE'; method: string };
export class DevError extends Fault<DevFault> {}
