import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { entriesAt, fieldAt, fieldError, type JsonNode, parseGenesisJson } from './exact-json.ts';
import { GenesisError } from './fault.ts';

/** A C-Chain account in the genesis: its balance in wei and the number of transactions it has sent. */
type GenesisAccount = { readonly balance: bigint; readonly nonce: bigint };

export type GenesisAccounts = ReadonlyMap<Address, GenesisAccount>;

/**
 * Returns the accounts in a C-Chain genesis, or undefined if they cannot be read: Serac does not run the EVM, so an invalid C-Chain
 * genesis must not stop the X-Chain. AvalancheGo: libevm core/types/account.go.
 */
export function parseEvmAccounts(cChainGenesis: string): GenesisAccounts | undefined {
  try {
    const alloc = fieldAt(parseGenesisJson(cChainGenesis), 'alloc');
    return new Map(entriesAt(alloc).map(([address, account]) => [parseEvmAddress(address, alloc), accountAt(account)]));
  } catch (error) {
    if (error instanceof GenesisError) return undefined;
    throw error;
  }
}

const accountAt = (node: JsonNode): GenesisAccount => ({
  balance: amountAt(fieldAt(node, 'balance')),
  nonce: amountAt(fieldAt(node, 'nonce')),
});

/** Reads an amount: hex digits with `0x`, or decimal digits. */
function amountAt(node: JsonNode): bigint {
  const { value } = node;
  if (value === undefined || typeof value === 'bigint') return value ?? 0n;
  if (typeof value !== 'string' || !/^(?:0[xX][0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value)) throw fieldError(node, 'must be an amount');
  return BigInt(value);
}

function parseEvmAddress(text: string, node: JsonNode): Address {
  const digits = text.replace(/^0[xX]/, '').toLowerCase();
  if (!/^[0-9a-f]{40}$/.test(digits)) throw fieldError(node, `${text} is not an address`);
  return addressFromBytes(fromHex(digits));
}
