import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { evmRows } from '../contract/counterpart-methods.ts';
import type { ParamsOf } from '../contract/views.ts';
import { EvmError } from './fault.ts';
import { jsonKindAt, parseString, scanArray } from './json-scan.ts';
import { type BoundMethod, type CreateUnknownMethodError, implement, type Services } from './method.ts';

/** The C-Chain's ID and accounts at genesis. They never change, since the chain runs no transactions here. */
type EvmDeps = { readonly chainID: number; readonly account: (address: Address) => EvmAccountState };

/** Balance in wei. `nonce`: number of transactions sent. */
type EvmAccountState = { readonly balance: bigint; readonly nonce: bigint };

/** Handlers of the methods that wallets call on the C-Chain before they use the X-Chain. */
const evmMethods = implement<EvmDeps>()(evmRows, {
  eth_chainId: async ({ chainID }) => hexQuantity(BigInt(chainID)),
  eth_getBalance: async ({ account }, { address }) => hexQuantity(account(addressFromBytes(fromHex(address))).balance),
  eth_getTransactionCount: async ({ account }, { address }) => hexQuantity(account(addressFromBytes(fromHex(address))).nonce),
});

/** The methods of `/ext/bc/C/rpc`. Their names have no service prefix, and their parameters are an array. */
export function evmServices(deps: EvmDeps, unknownMethodError: CreateUnknownMethodError): Services {
  const methods = Object.entries(evmMethods).map(([name, { row, run }]): [string, BoundMethod] => [
    name,
    {
      needsWriter: false,
      paramNames: [],
      readParams: 'address' in row.params ? readAccountQuery : readNothing,
      run: (values) => run(deps, values),
    },
  ]);
  return { unknownMethodErrors: new Map(), methods: new Map(methods), unknownMethodError };
}

/** Reads `[address, block]` and checks both. The block is 0, by number or by a tag. Messages are AvalancheGo's (libevm rpc/json.go, common/types.go). */
function readAccountQuery(raw: string | null): ParamsOf<(typeof evmRows)['eth_getBalance']['params']> {
  const args = readArguments(raw, 2);
  const address = readEvmAddress(args[0]);
  return { address, block: readBlock(args[1]) };
}

function readNothing(raw: string | null): object {
  readArguments(raw, 0);
  return {};
}

/** The JSON texts of the arguments. */
function readArguments(raw: string | null, most: number): string[] {
  const text = raw ?? '[]';
  if (jsonKindAt(text, 0) !== 'array') throw invalidParamsError('non-array args');
  const args: string[] = [];
  scanArray(text, 0, (start, end) => args.push(text.slice(start, end)) <= most);
  if (args.length > most) throw invalidParamsError(`too many arguments, want at most ${most}`);
  return args;
}

const hexQuantity = (value: bigint): string => `0x${value.toString(16)}`;

const badAddressError = (what: string) =>
  invalidParamsError(`invalid argument 0: json: cannot unmarshal ${what} into Go value of type common.Address`);

/** The hex digits of an address. */
function readEvmAddress(arg: string | undefined): string {
  if (arg === undefined || arg === 'null') throw invalidParamsError('missing value for required argument 0');
  if (jsonKindAt(arg, 0) !== 'string') throw badAddressError('non-string');
  const text = parseString(arg, 0, arg.length);
  if (!/^0[xX]/.test(text)) throw badAddressError('hex string without 0x prefix');
  const digits = text.slice(2);
  if (digits.length !== 40)
    throw invalidParamsError(`invalid argument 0: hex string has length ${digits.length}, want 40 for common.Address`);
  if (!/^[0-9a-fA-F]{40}$/.test(digits)) throw badAddressError('invalid hex string');
  return digits.toLowerCase();
}

const blockTags = new Set(['latest', 'pending', 'earliest', 'safe', 'finalized', '0x0']);

/** The name of block 0, the only block; throws if the argument names another one. */
function readBlock(arg: string | undefined): string {
  if (arg === undefined || arg === 'null') throw invalidParamsError('missing value for required argument 1');
  const named = jsonKindAt(arg, 0) === 'object' ? /^\{\s*"blockNumber"\s*:\s*("[^"\\]{1,66}")\s*\}$/.exec(arg)?.[1] : arg;
  if (named === undefined || jsonKindAt(named, 0) !== 'string') throw invalidParamsError('invalid argument 1: not a block number');
  const text = parseString(named, 0, named.length);
  if (blockTags.has(text)) return text;
  if (!/^0[xX]/.test(text)) throw invalidParamsError('invalid argument 1: hex string without 0x prefix');
  if (!/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/.test(text)) throw invalidParamsError('invalid argument 1: invalid hex string');
  throw new EvmError('cannot query unfinalized data', { code: 'EVM_UNKNOWN_BLOCK', block: text }, -32_000);
}

const invalidParamsError = (message: string) => new EvmError(message, { code: 'EVM_INVALID_PARAMS' }, -32_602);
