import { createDevWallet, type DevWallet } from '../../api/dev/dev-wallet.ts';
import { insightMethods } from '../../api/dev/insight-methods.ts';
import { createIssueAndWait } from '../../api/dev/issue-and-wait.ts';
import type { Labels } from '../../api/dev/labels.ts';
import { moneyMethods } from '../../api/dev/money-methods.ts';
import type { AvmReads } from '../../api/rpc/avm.ts';
import { createService, type Service } from '../../api/rpc/method.ts';
import type { Account } from '../../avm/wallet/accounts.ts';
import { idText } from '../../base/bytes/id.ts';
import type { Fork } from '../../chain/fork/fork.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { Impersonation } from '../../chain/lifecycle/impersonation.ts';
import type { TxLifecycle } from '../../chain/lifecycle/tx-lifecycle.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { OpenedChain } from '../node/node-store.ts';
import type { ChainTools, RunningChain } from '../node/running-chain.ts';
import type { Env } from '../platform/env.ts';
import { chainParamsOf } from '../solo/account-funding.ts';

/** A chain that the `dev.*` methods work on. */
export type DevServedChain = RunningChain & {
  readonly reads: AvmReads;
  readonly opened: OpenedChain;
};

/** The methods of a wallet and those that explain, which every chain has whose transactions are verified here. */
export function createWalletServices(wallet: DevWallet, x: DevServedChain, lifecycle: TxLifecycle): readonly Service[] {
  const { chain, explain } = x.tools as ChainTools;
  const { findUtxo, consumerOf } = x.opened.state;
  const json = { address: wallet.formatAddress, id: idText };
  return [
    createService('dev', moneyMethods, { wallet }),
    createService('dev', insightMethods, { chain, explain, findUtxo, consumerOf, wallet, lifecycle, json }),
  ];
}

/** The accounts of a node over its X-Chain. */
export function createNodeWallet({
  x,
  context,
  accounts,
  labels,
  events,
  timers,
  impersonation,
  copyOutputs,
}: {
  readonly x: DevServedChain;
  readonly context: NetworkContext;
  readonly accounts: readonly [Account, ...Account[]];
  /** Undefined on a node whose chain others share: labels are of the developer's chain. */
  readonly labels?: Labels | undefined;
  readonly events: EventBus;
  readonly timers: Env['timers'];
  /** Undefined where no address can be impersonated. */
  readonly impersonation?: Impersonation;
  /** Copies the outputs of addresses from the forked node; undefined unless the chain is a fork. */
  readonly copyOutputs?: Fork['copyAddresses'] | undefined;
}): DevWallet {
  const { chain, specs } = context;
  const { issueAfterPending } = x.tools as ChainTools;
  return createDevWallet({
    accounts,
    labels,
    chainParams: chainParamsOf(specs[0], chain.network.id),
    addressFormat: createChainAddressFormat(specs[0].id, chain),
    assetAliases: new Map(specs[0].genesis.assets.map(({ alias, tx }) => [alias, tx.id])),
    reads: x.reads,
    findAssetsBySymbol: x.opened.state.findAssetsBySymbol,
    utxo: (id) => {
      const found = x.opened.state.findUtxo(id);
      return found && x.opened.ledger.utxo(found);
    },
    fetchOutputs: copyOutputs,
    now: chain.now,
    longWork: chain.longWork,
    isPending: (utxoID) => x.isConsumedByPending?.(utxoID) ?? false,
    pendingTxs: () => x.mempool?.all() ?? [],
    isImpersonated: (address) => impersonation?.has(address) === true,
    issue: issueAfterPending,
    issueAndWait: createIssueAndWait({ running: { ...x, txIssuer: { ...x.txIssuer, issue: issueAfterPending } }, events, timers }),
  });
}
