import type { Labels } from '../../api/dev/labels.ts';
import type { AvmReads } from '../../api/rpc/avm.ts';
import { readUnlockedBalances } from '../../api/rpc/balance.ts';
import { type Account, ewoqKey } from '../../avm/wallet/accounts.ts';
import type { Address } from '../../base/bytes/address.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { BannerInfo } from '../output/banner-info.ts';

const formatOf = ({ chain, specs: [x] }: NetworkContext): ((address: Address) => string) => createChainAddressFormat(x.id, chain).format;

/** The AVAX of an address, without locked and shared outputs; undefined if it never had any. */
const readBalance = (reads: AvmReads, address: Address, now: bigint, { specs: [x] }: NetworkContext): bigint | undefined =>
  readUnlockedBalances(reads, address, now).get(x.genesis.assets[0].tx.id);

/** The funded key of AvalancheGo's local genesis; undefined if it has no funds here. */
export function readFundedKey(reads: AvmReads, now: bigint, context: NetworkContext): BannerInfo['funded'] {
  const balance = readBalance(reads, ewoqKey.address, now, context);
  return balance === undefined ? undefined : { address: formatOf(context)(ewoqKey.address), balance };
}

/** The accounts with their addresses as texts. */
export function withAddresses(accounts: readonly Account[], context: NetworkContext) {
  const format = formatOf(context);
  return accounts.map((account) => ({ ...account, address: format(account.key.address) }));
}

/** The accounts with addresses, labels and balances, for the banner. */
export const readAccounts = (
  reads: AvmReads,
  accounts: readonly Account[],
  labels: Labels,
  now: bigint,
  context: NetworkContext,
): BannerInfo['accounts'] =>
  withAddresses(accounts, context).map(({ index, key, address }) => ({
    index,
    address,
    label: labels.all().get(key.address),
    balance: readBalance(reads, key.address, now, context) ?? 0n,
  }));
