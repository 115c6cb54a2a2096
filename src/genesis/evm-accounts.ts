import { type Address, addressFromBytes } from '../bytes/address.ts';
import { fromHex } from '../bytes/hex.ts';
import { at, entries, type Place, parseExact, wrong } from './exact-json.ts';
import { GenesisError } from './fault.ts';

/** An account of the C-Chain: its balance in wei and how many transactions it has sent. */
export type EvmAccount = { readonly balance: bigint; readonly nonce: bigint };

export type EvmAccounts = ReadonlyMap<Address, EvmAccount>;

/**
 * Accounts that a C-Chain genesis allocates. Undefined if they cannot be read: Serac does not run the EVM, so a genesis that only the EVM
 * would refuse must not stop the X-Chain. AvalancheGo: libevm core/types/account.go.
 */
export function evmAccounts(cChainGenesis: string): EvmAccounts | undefined {
  try {
    const alloc = at(parseExact(cChainGenesis), 'alloc');
    return new Map(entries(alloc).map(([address, account]) => [evmAddress(address, alloc), accountAt(account)]));
  } catch (error) {
    if (error instanceof GenesisError) return undefined;
    throw error;
  }
}

const accountAt = (place: Place): EvmAccount => ({ balance: amountAt(at(place, 'balance')), nonce: amountAt(at(place, 'nonce')) });

/** Hex digits with `0x`, or decimal digits. */
function amountAt(place: Place): bigint {
  const { value } = place;
  if (value === undefined || typeof value === 'bigint') return value ?? 0n;
  if (typeof value !== 'string' || !/^(?:0[xX][0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value)) throw wrong(place, 'must be an amount');
  return BigInt(value);
}

function evmAddress(text: string, place: Place): Address {
  const digits = text.replace(/^0[xX]/, '').toLowerCase();
  if (!/^[0-9a-f]{40}$/.test(digits)) throw wrong(place, `${text} is not an address`);
  return addressFromBytes(fromHex(digits));
}
