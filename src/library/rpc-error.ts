import { Fault } from '../fault.ts';

export type RpcFault =
  | { code: 'RPC_ERROR'; method: string; rpcCode: number; data: unknown }
  | { code: 'RPC_STATUS'; method: string; status: number }
  | { code: 'RPC_UNKNOWN_SERVICE'; method: string };
/** A call that the node refused. `fault.rpcCode` and `fault.data` are those of the JSON-RPC error. */
export class RpcError extends Fault<RpcFault> {}
