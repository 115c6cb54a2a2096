import { Fault } from '../../base/fault.ts';

export type EvmFault = { code: 'EVM_INVALID_PARAMS' } | { code: 'EVM_UNKNOWN_BLOCK'; block: string };

/** An error with the JSON-RPC code that Ethereum clients expect. */
export class EvmError extends Fault<EvmFault> {
  readonly rpcCode: number;

  constructor(message: string, fault: EvmFault, rpcCode: number) {
    super(message, fault);
    this.rpcCode = rpcCode;
  }
}
