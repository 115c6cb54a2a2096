import { type Address, addressFromBytes, zeroAddress } from '../../base/bytes/address.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { EvmError } from './evm-fault.ts';
import { jsonKindAt, parseString, scanArray } from './json-scan.ts';
import { type BoundMethod, type CreateUnknownMethodError, type Method, method, methodTable, type Services } from './method.ts';
import type { RpcParam } from './params.ts';

/** The C-Chain's accounts at genesis. They never change, since the chain runs no transactions here. */
export type EvmDeps = { readonly account: (address: Address) => EvmAccountState };

/** Balance in wei. `nonce`: number of transactions sent. */
export type EvmAccountState = { readonly balance: bigint; readonly nonce: bigint };

type AccountQuery = { readonly address: Address };

/** The parameters `[address, block]`. The block is 0, by number or by a tag. Messages are AvalancheGo's (libevm rpc/json.go, common/types.go). */
const accountQuery: RpcParam<AccountQuery> = {
  zero: { address: zeroAddress },
  type: '[address: 0x and 40 hex digits, block: "latest", another tag, or "0x0"]',
  read: (text, from) => {
    if (jsonKindAt(text, from) !== 'array') throw invalidParamsError('non-array args');
    const args: string[] = [];
    scanArray(text, from, (start, end) => args.push(text.slice(start, end)) <= 2);
    if (args.length > 2) throw invalidParamsError('too many arguments, want at most 2');
    const address = parseEvmAddress(args[0]);
    checkBlock(args[1]);
    return { address };
  },
};

/** Methods that AvalancheGo's wallet calls on the C-Chain before it uses the X-Chain. */
export const evmMethods = methodTable<EvmDeps>()({
  eth_getBalance: method(accountQuery, ({ account }, { address }) => hexQuantity(account(address).balance)),
  eth_getTransactionCount: method(accountQuery, ({ account }, { address }) => hexQuantity(account(address).nonce)),
});

/** The methods of `/ext/bc/C/rpc`. Their names have no service prefix, and their parameters are an array. */
export function evmServices(deps: EvmDeps, unknownMethodError: CreateUnknownMethodError): Services {
  const methods = Object.entries(evmMethods).map(
    ([name, { params, run }]: [string, Method<EvmDeps, AccountQuery>]): [string, BoundMethod] => [
      name,
      {
        needsWriter: false,
        paramNames: [],
        readParams: (raw) => params.read(raw ?? '[]', 0, raw?.length ?? 2, params.zero),
        run: (values) => run(deps, values as AccountQuery),
      },
    ],
  );
  return { unknownMethodErrors: new Map(), methods: new Map(methods), unknownMethodError };
}

const hexQuantity = (value: bigint): string => `0x${value.toString(16)}`;

const badAddressError = (what: string) =>
  invalidParamsError(`invalid argument 0: json: cannot unmarshal ${what} into Go value of type common.Address`);

function parseEvmAddress(arg: string | undefined): Address {
  if (arg === undefined || arg === 'null') throw invalidParamsError('missing value for required argument 0');
  if (jsonKindAt(arg, 0) !== 'string') throw badAddressError('non-string');
  const text = parseString(arg, 0, arg.length);
  if (!/^0[xX]/.test(text)) throw badAddressError('hex string without 0x prefix');
  const digits = text.slice(2);
  if (digits.length !== 40)
    throw invalidParamsError(`invalid argument 0: hex string has length ${digits.length}, want 40 for common.Address`);
  if (!/^[0-9a-fA-F]{40}$/.test(digits)) throw badAddressError('invalid hex string');
  return addressFromBytes(fromHex(digits.toLowerCase()));
}

const blockTags = new Set(['latest', 'pending', 'earliest', 'safe', 'finalized', '0x0']);

/** Throws unless the argument names block 0, the only block. */
function checkBlock(arg: string | undefined): void {
  if (arg === undefined || arg === 'null') throw invalidParamsError('missing value for required argument 1');
  const named = jsonKindAt(arg, 0) === 'object' ? /^\{\s*"blockNumber"\s*:\s*("[^"\\]{1,66}")\s*\}$/.exec(arg)?.[1] : arg;
  if (named === undefined || jsonKindAt(named, 0) !== 'string') throw invalidParamsError('invalid argument 1: not a block number');
  const text = parseString(named, 0, named.length);
  if (blockTags.has(text)) return;
  if (!/^0[xX]/.test(text)) throw invalidParamsError('invalid argument 1: hex string without 0x prefix');
  if (!/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/.test(text)) throw invalidParamsError('invalid argument 1: invalid hex string');
  throw new EvmError('cannot query unfinalized data', { code: 'EVM_UNKNOWN_BLOCK', block: text }, -32_000);
}

const invalidParamsError = (message: string) => new EvmError(message, { code: 'EVM_INVALID_PARAMS' }, -32_602);
