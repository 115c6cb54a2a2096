import type { RpcClient } from '../../api/client/rpc-client.ts';
import { addChainPrefix, parseAddressSpellings } from './address-spellings.ts';
import { callDev, decodeDev } from './client-command.ts';
import { badArgument } from './fault.ts';

/**
 * The address that a text stands for on a node: that of the account with this number, that with this label, or the address itself. Undefined if
 * it is none of them. `dev.*` methods resolve such a text by themselves; this is for other methods and routes, and for what is printed.
 */
export async function resolveAddress(client: RpcClient, text: string, chain = 'X'): Promise<string | undefined> {
  if (/^\d{1,9}$/.test(text)) return withPrefix((await readAccounts(client))[Number(text)]?.address, chain);
  if (parseAddressSpellings(text) !== undefined) return addChainPrefix(text, chain);
  return withPrefix((await readLabels(client)).find(({ name }) => name === text)?.address, chain);
}

/** Like `resolveAddress`, but throws if the text stands for no address. */
export async function requireAddress(client: RpcClient, text: string): Promise<string> {
  const found = await resolveAddress(client, text);
  if (found !== undefined) return found;
  const accounts = await readAccounts(client);
  const names = accounts.length === 0 ? '' : `, an account (0 to ${accounts.length - 1}) or a label`;
  throw badArgument(text, `${JSON.stringify(text)} is not an address${names}; an address looks like X-local1… or 0x and 40 hex digits`);
}

/** A node without `dev.*` methods has no accounts. */
export const readAccounts = (client: RpcClient) =>
  callDev(client, 'accounts').then(
    (json) => decodeDev('accounts', json).accounts,
    () => [],
  );

/** A node that is no developer's chain has no labels. */
export const readLabels = (client: RpcClient) =>
  callDev(client, 'labels').then(
    (json) => decodeDev('labels', json).labels,
    () => [],
  );

const withPrefix = (address: string | undefined, chain: string): string | undefined => address?.replace(/^X(?=-)/, chain);
