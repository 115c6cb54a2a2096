import { type Address, addressFromBytes, zeroAddress } from '../bytes/address.ts';
import { fromHex } from '../bytes/hex.ts';
import { EvmError } from './evm-fault.ts';
import { kindOf, scanArray, unquote } from './json-scan.ts';
import { type Call, type Missing, methods, type Row, row, type Services } from './method.ts';
import type { Param } from './params.ts';

/** The C-Chain's accounts right after its genesis: it runs no transactions here, so they never change. */
export type EvmDeps = { readonly account: (address: Address) => EvmAccount };

/** Balance in wei, and the number of transactions sent. */
export type EvmAccount = { readonly balance: bigint; readonly nonce: bigint };

type AccountAt = { readonly address: Address };

/** `[address, block]`: block 0 by its number or by a tag. Texts are AvalancheGo's (libevm rpc/json.go, common/types.go). */
const accountAt: Param<AccountAt> = {
  zero: { address: zeroAddress },
  type: '[address: 0x and 40 hex digits, block: "latest", another tag, or "0x0"]',
  read: (text, from) => {
    if (kindOf(text, from) !== 'array') throw invalidParams('non-array args');
    const args: string[] = [];
    scanArray(text, from, (start, end) => args.push(text.slice(start, end)) <= 2);
    if (args.length > 2) throw invalidParams('too many arguments, want at most 2');
    const address = addressOf(args[0]);
    verifyBlock(args[1]);
    return { address };
  },
};

/** What AvalancheGo's own wallet asks of the C-Chain before it works on the X-Chain. */
export const evm = methods<EvmDeps>()({
  eth_getBalance: row(accountAt, ({ account }, { address }) => quantity(account(address).balance)),
  eth_getTransactionCount: row(accountAt, ({ account }, { address }) => quantity(account(address).nonce)),
});

/** The methods of `/ext/bc/C/rpc`; their names have no service before them, and their parameters are a list. */
export function evmServices(deps: EvmDeps, missing: Missing): Services {
  const calls = Object.entries(evm).map(([name, { params, run }]: [string, Row<EvmDeps, AccountAt>]): [string, Call] => [
    name,
    {
      writer: false,
      params: [],
      read: (raw) => params.read(raw ?? '[]', 0, raw?.length ?? 2, params.zero),
      run: (given) => run(deps, given as AccountAt),
    },
  ]);
  return { names: new Map(), calls: new Map(calls), missing };
}

const quantity = (value: bigint): string => `0x${value.toString(16)}`;

const unmarshal = (what: string) =>
  invalidParams(`invalid argument 0: json: cannot unmarshal ${what} into Go value of type common.Address`);

function addressOf(arg: string | undefined): Address {
  if (arg === undefined || arg === 'null') throw invalidParams('missing value for required argument 0');
  if (kindOf(arg, 0) !== 'string') throw unmarshal('non-string');
  const text = unquote(arg, 0, arg.length);
  if (!/^0[xX]/.test(text)) throw unmarshal('hex string without 0x prefix');
  const digits = text.slice(2);
  if (digits.length !== 40) throw invalidParams(`invalid argument 0: hex string has length ${digits.length}, want 40 for common.Address`);
  if (!/^[0-9a-fA-F]{40}$/.test(digits)) throw unmarshal('invalid hex string');
  return addressFromBytes(fromHex(digits.toLowerCase()));
}

const tags = new Set(['latest', 'pending', 'earliest', 'safe', 'finalized', '0x0']);

/** There is block 0 and no other. */
function verifyBlock(arg: string | undefined): void {
  if (arg === undefined || arg === 'null') throw invalidParams('missing value for required argument 1');
  const named = kindOf(arg, 0) === 'object' ? /^\{\s*"blockNumber"\s*:\s*("[^"\\]{1,66}")\s*\}$/.exec(arg)?.[1] : arg;
  if (named === undefined || kindOf(named, 0) !== 'string') throw invalidParams('invalid argument 1: not a block number');
  const text = unquote(named, 0, named.length);
  if (tags.has(text)) return;
  if (!/^0[xX]/.test(text)) throw invalidParams('invalid argument 1: hex string without 0x prefix');
  if (!/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/.test(text)) throw invalidParams('invalid argument 1: invalid hex string');
  throw new EvmError('cannot query unfinalized data', { code: 'EVM_UNKNOWN_BLOCK', block: text }, -32_000);
}

const invalidParams = (message: string) => new EvmError(message, { code: 'EVM_INVALID_PARAMS' }, -32_602);
