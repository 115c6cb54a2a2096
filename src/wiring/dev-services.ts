import type { Id } from '../bytes/id.ts';
import type { EventBus } from '../chain/events.ts';
import { crossChainMethods } from '../dev/cross-chain-methods.ts';
import { createDepositIds } from '../dev/deposit-id.ts';
import { createDevWallet, type DevWallet } from '../dev/dev-wallet.ts';
import { moneyMethods } from '../dev/money-methods.ts';
import type { AddressFormat } from '../rpc/address-format.ts';
import { combineServices, createService, type Services } from '../rpc/method.ts';
import type { Account } from '../wallet/accounts.ts';
import { chainParamsOf } from './account-funding.ts';
import { createChainAddressFormat, type RunningChain } from './avm-chain.ts';
import type { Env } from './env.ts';
import { createIssueAndWait } from './issue-and-wait.ts';
import type { NetworkContext } from './network-context.ts';
import type { NodeStore, OpenedChain } from './node-store.ts';

/** The X-Chain, its accounts, and what the `dev.*` methods need of the node. */
export type DevServiceParts = {
  readonly store: NodeStore;
  readonly context: NetworkContext;
  readonly running: RunningChain;
  readonly opened: OpenedChain;
  readonly accounts: readonly [Account, ...Account[]];
  readonly events: EventBus;
  readonly timers: Env['timers'];
};

/** Creates the `dev.*` methods: one line per group of methods. */
export function createDevServices(parts: DevServiceParts): Services {
  const { store, context, opened } = parts;
  const { chain, specs, p, c } = context;
  const wallet = createWallet(parts);
  const formats = new Map([...specs, p, c].map(({ id }) => [id, createChainAddressFormat(id, chain)]));
  const formatOf = (chainID: Id): AddressFormat => formats.get(chainID) ?? createChainAddressFormat(chainID, chain);
  return combineServices(
    createService('dev', moneyMethods, { wallet }),
    createService('dev', crossChainMethods, {
      wallet,
      aliases: chain.aliases,
      counterparts: [p.id, c.id],
      addAtomicUtxo: (from, utxo) => store.putAtomicUtxo(specs[0].id, from, utxo),
      newDepositID: createDepositIds({
        lastAccepted: opened.ledger.lastAccepted,
        knowsAtomicUtxo: (source, utxoID) => store.knowsAtomicUtxo(specs[0].id, source, utxoID),
      }),
      listAtomicUtxos: store.listAtomicUtxos,
      claimExport: opened.claimExport,
      parseAddress: (chainID, text) => formatOf(text.startsWith('X-') ? specs[0].id : chainID).parse(text),
      formatAddress: (chainID, address) => formatOf(chainID).format(address),
    }),
  );
}

function createWallet({ context, running, opened, accounts, events, timers }: DevServiceParts): DevWallet {
  const { chain, specs } = context;
  const [x] = specs;
  return createDevWallet({
    accounts,
    chainParams: chainParamsOf(x, chain.network.id),
    addressFormat: createChainAddressFormat(x.id, chain),
    assetAliases: new Map(x.genesis.assets.map(({ alias, tx }) => [alias, tx.id])),
    reads: opened.reads,
    utxo: opened.ledger.utxo,
    now: chain.now,
    longWork: chain.longWork,
    isPending: (utxoID) => running.isConsumedByPending?.(utxoID) ?? false,
    issue: createIssueAndWait({ running, events, timers }),
  });
}
