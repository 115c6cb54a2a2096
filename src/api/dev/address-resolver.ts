import type { Account } from '../../avm/wallet/accounts.ts';
import type { Address } from '../../base/bytes/address.ts';
import { bech32Decode } from '../../base/bytes/bech32.ts';
import { evmAddressOf } from '../../base/crypto/evm-address.ts';
import { unlessFault } from '../../base/fault.ts';
import type { AddressFormat } from '../rpc/address-format.ts';
import { AvmError } from '../rpc/fault.ts';
import { DevError } from './fault.ts';

/** The addresses that the accounts and labels of a node stand for, and how addresses of its X-Chain are written. */
type ResolverDeps = {
  readonly accounts: readonly Account[];
  readonly addressFormat: AddressFormat;
  /** Undefined on a node without labels. */
  readonly labels?: { readonly find: (name: string) => Address | undefined } | undefined;
};

/**
 * Reads an address of a `dev.*` method: the number of an account, a label, or an address of the X-Chain with or without its prefix. `other`: a
 * second chain whose addresses may be given, the destination of an export.
 */
export type ResolveAddress = (text: string, other?: AddressFormat) => Address;

export const createAddressResolver =
  (deps: ResolverDeps): ResolveAddress =>
  (text, other) => {
    if (/^\d+$/.test(text)) return requireAccount(text, deps).key.address;
    return deps.labels?.find(text) ?? parseAddress(text, other, deps);
  };

/** Accounts that an error about a number lists. */
const shownAccounts = 3;

function requireAccount(number: string, { accounts, addressFormat }: ResolverDeps): Account {
  const found = accounts[Number(number)];
  if (found !== undefined) return found;
  const first = accounts.slice(0, shownAccounts).map(({ index, key }) => `${index} is ${addressFormat.format(key.address)}`);
  const count = accounts.length === 1 ? 'is 1 account' : `are ${accounts.length} accounts, 0 to ${accounts.length - 1}`;
  throw new DevError(`there is no account ${shorten(number)}; there ${count}: ${first.join(', ')}; dev.accounts lists them`, {
    code: 'DEV_NOT_AN_ACCOUNT',
    account: number,
    accounts: accounts.length,
  });
}

function parseAddress(text: string, other: AddressFormat | undefined, deps: ResolverDeps): Address {
  const spelled = addPrefix(text, deps.addressFormat);
  const format = other !== undefined && !spelled.startsWith('X-') ? other : deps.addressFormat;
  try {
    return format.parse(spelled);
  } catch (error) {
    if (!(error instanceof AvmError && error.fault.code === 'AVM_BAD_ADDRESS')) throw error;
    const { reason, expected } = error.fault;
    throw explainBadAddress({ text, spelled, reason, expected }, format, deps);
  }
}

/** `x-local1…` and `local1…` as `X-local1…`; other text stays. */
function addPrefix(text: string, { hrp }: AddressFormat): string {
  const [, chain, rest] = /^([a-z])-(.*)$/s.exec(text) ?? [];
  if (chain !== undefined) return `${chain.toUpperCase()}-${rest}`;
  return text.startsWith(`${hrp}1`) ? `X-${text}` : text;
}

/** Says what a text is instead of an address of the chain, and which address is probably meant. */
function explainBadAddress({ text, spelled, reason, expected }: BadAddress, format: AddressFormat, deps: ResolverDeps): AvmError {
  const { accounts, addressFormat } = deps;
  const bad = (message: string, meant = expected) =>
    new AvmError(message, { code: 'AVM_BAD_ADDRESS', address: text, reason, ...(meant !== undefined && { expected: meant }) });
  const chain = format.aliases.primary(format.chainID);
  const needed = `an address of the ${chain}-Chain is needed, which looks like ${chain}-${format.hrp}1…`;
  const shown = shorten(text);
  if (text === '') return bad(`no address is given; ${needed}; the number of an account or a label is possible too`);
  if (text.startsWith('PrivateKey-'))
    return new AvmError(`this is a private key, not an address; ${needed}`, { code: 'AVM_BAD_ADDRESS', address: 'PrivateKey-…', reason });
  if (/^0x[0-9a-f]{40}$/i.test(text)) {
    const owner = findEvmOwner(text, accounts);
    const message = `${text} is an address of the EVM, such as the C-Chain; ${needed}`;
    if (owner === undefined) return bad(message);
    const own = addressFormat.format(owner.key.address);
    return bad(`${message}: this is account ${owner.index}, whose address is ${own}`, own);
  }
  if (expected !== undefined) {
    const [prefix, rest] = [spelled.slice(0, spelled.indexOf('-')), spelled.slice(spelled.indexOf('-') + 1)];
    const { hrp } = bech32Decode(rest);
    const given =
      hrp === format.hrp ? `of the ${format.aliases.primary(format.aliases.lookup(prefix))}-Chain` : `of another network (${hrp})`;
    return bad(`${shown} is an address ${given}; ${needed}: the same key has ${expected}`);
  }
  return looksLikeAddress(text, format.hrp)
    ? bad(`${shown} is not an address: ${reason.startsWith('invalid checksum') ? 'a character is wrong or missing' : reason}; ${needed}`)
    : bad(
        `${JSON.stringify(shown)} is neither an address, the number of an account nor a label; ${needed}; dev.accounts lists the accounts`,
      );
}

/** A text that is no address of a chain. `spelled`: with the prefix that was added to it. `expected`: the same bytes as an address of the chain. */
type BadAddress = { readonly text: string; readonly spelled: string; readonly reason: string; readonly expected: string | undefined };

/** The most accounts whose C-Chain addresses are compared: each takes some 0.3 ms. */
const maxEvmOwners = 100;

function findEvmOwner(text: string, accounts: readonly Account[]): Account | undefined {
  const wanted = text.slice(2).toLowerCase();
  return accounts.slice(0, maxEvmOwners).find(({ key }) => key.address === wanted || evmAddressOf(key.secret) === wanted);
}

const maxShown = 80;
const shorten = (text: string): string => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);

/** Whether a text could be taken for an address or for the number of an account, so that it must not be a label. */
export const looksLikeAddress = (text: string, hrp: string): boolean =>
  /^\d+$/.test(text) || /^(?:[a-z]-|0x)/i.test(text) || text.startsWith(`${hrp}1`) || unlessFault(() => bech32Decode(text)) !== undefined;
