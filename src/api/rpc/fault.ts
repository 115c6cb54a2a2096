import { findNearestName } from '../../base/bytes/nearest-name.ts';
import { Fault } from '../../base/fault.ts';

/** Errors of a call before its method runs. Messages are AvalancheGo's (gorilla/rpc, utils/json), except those of batches and limits, which are Serac's. */
export type RpcFault =
  | { code: 'RPC_BAD_JSON'; at: number }
  | ({ code: 'RPC_METHOD_ILL_FORMED'; method: string } & MethodHint)
  | ({ code: 'RPC_METHOD_UPPER_CASE'; method: string } & MethodHint)
  | ({ code: 'RPC_NO_SERVICE'; method: string } & MethodHint)
  | ({ code: 'RPC_NO_METHOD'; method: string } & MethodHint)
  | { code: 'RPC_BAD_ARGUMENT'; argument: string; expected: string }
  | { code: 'RPC_UNKNOWN_PARAM'; param: string; didYouMean?: string }
  | { code: 'RPC_REPEATED_PARAM'; param: string }
  | { code: 'RPC_UNKNOWN_CHAIN'; name: string }
  | { code: 'RPC_TEXT_TOO_LONG'; member: string; max: number }
  | { code: 'RPC_TOO_MANY_MEMBERS'; max: number }
  | { code: 'RPC_TOO_MANY_VALUES'; max: number }
  | { code: 'RPC_BATCH_EMPTY' }
  | { code: 'RPC_BATCH_TOO_LONG'; max: number }
  | { code: 'RPC_BATCH_ANSWER_TOO_LARGE'; max: number }
  | { code: 'RPC_INTERNAL' };

/** What the caller of an unknown method probably meant. */
export type MethodHint = {
  /** The method of this path with the most similar name. */
  readonly didYouMean?: string;
  /** The replacement of a method that AvalancheGo has removed. */
  readonly replacedBy?: string;
  /** The path that serves the method's service. */
  readonly path?: string;
};

export class RpcError extends Fault<RpcFault> {}

/** The error for any invalid argument. The message is AvalancheGo's (utils/json/codec.go); `argument` and `expected` are Serac's. */
export const badArgument = (argument: string, expected = '') =>
  new RpcError("couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls", {
    code: 'RPC_BAD_ARGUMENT',
    argument,
    expected,
  });

/** The error for a parameter that a method of Serac's own does not have. `known`: the names of its parameters. */
export function unknownParam(given: string, known: readonly string[]): RpcError {
  const param = given.slice(0, maxShownName);
  const didYouMean = findNearestName(given, known);
  const hint = known.length === 0 ? 'the method has no parameters' : `parameters are ${known.join(', ')}`;
  return new RpcError(
    `unknown parameter ${JSON.stringify(param)}${didYouMean === undefined ? '' : `; did you mean ${didYouMean}?`}; ${hint}; nothing was done`,
    { code: 'RPC_UNKNOWN_PARAM', param, didYouMean },
  );
}

const maxShownName = 64;

export const repeatedParam = (given: string, param: string) =>
  new RpcError(`the parameter ${param} is given twice${given === param ? '' : `: ${given} is another name of it`}; nothing was done`, {
    code: 'RPC_REPEATED_PARAM',
    param,
  });

/** Errors of the AVM methods. The messages are AvalancheGo's: vms/avm/service.go. */
export type AvmFault =
  | { code: 'AVM_NIL_TX_ID' }
  | { code: 'AVM_NOT_FOUND'; what: 'tx' | 'block' | 'asset'; id: string }
  | { code: 'AVM_UNKNOWN_ASSET'; name: string }
  | { code: 'AVM_NOT_AN_ASSET'; txID: string }
  | { code: 'AVM_NO_ADDRESSES' }
  | { code: 'AVM_TOO_MANY_ADDRESSES'; got: number; max: number }
  | { code: 'AVM_UNKNOWN_CHAIN'; name: string }
  | { code: 'AVM_NO_SOURCE_CHAIN' }
  /** A joined node knows what other chains exported only through a trusted node. */
  | { code: 'AVM_EXPORTS_UNKNOWN'; chain: string }
  | { code: 'AVM_BAD_ADDRESS'; address: string; reason: string; expected?: string }
  | { code: 'AVM_BAD_CURSOR'; reason: string }
  | { code: 'AVM_ENCODING'; encoding: string }
  | { code: 'AVM_BALANCE_OVERFLOW'; assetID: string }
  /** Too many queries that take long are waiting. */
  | { code: 'AVM_BUSY'; max: number }
  | { code: 'AVM_BAD_TX_TEXT'; reason: string };
export class AvmError extends Fault<AvmFault> {}

/** Errors of the `info` methods. */
export type InfoFault = { code: 'INFO_NO_CHAIN_GIVEN' } | { code: 'INFO_NO_CHAIN'; chain: string } | { code: 'INFO_NOT_A_VALIDATOR' };

/** Errors of the methods of the P- and C-Chain. */
export type CounterpartFault =
  | { code: 'COUNTERPART_NOT_RUN'; chain: string; method: string }
  | { code: 'COUNTERPART_UNKNOWN_SUBNET'; subnetID: string };

export type EvmFault = { code: 'EVM_INVALID_PARAMS' } | { code: 'EVM_UNKNOWN_BLOCK'; block: string };

/** An error with the JSON-RPC code that Ethereum clients expect. */
export class EvmError extends Fault<EvmFault> {
  readonly rpcCode: number;

  constructor(message: string, fault: EvmFault, rpcCode: number) {
    super(message, fault);
    this.rpcCode = rpcCode;
  }
}
