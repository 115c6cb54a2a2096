import type { CallLog } from '../../api/calls/call-log.ts';
import { type AliasDeps, withAnvilAliases } from '../../api/dev/anvil-aliases.ts';
import { blocksMethods, formatPolicy } from '../../api/dev/blocks-methods.ts';
import type { CallFaults } from '../../api/dev/call-faults.ts';
import { callMethods } from '../../api/dev/call-methods.ts';
import { crossChainMethods } from '../../api/dev/cross-chain-methods.ts';
import { createDepositIds } from '../../api/dev/deposit-id.ts';
import type { DevWallet } from '../../api/dev/dev-wallet.ts';
import { DevError } from '../../api/dev/fault.ts';
import { type FaultDeps, faultMethods } from '../../api/dev/fault-methods.ts';
import { createFillerTx, createReorgFiller } from '../../api/dev/filler-tx.ts';
import { identityMethods, listImpersonated } from '../../api/dev/identity-methods.ts';
import { type Labels, labelMethods } from '../../api/dev/labels.ts';
import { nodeMethods, peerMethods } from '../../api/dev/node-methods.ts';
import { reorgMethods } from '../../api/dev/reorg-methods.ts';
import { stateMethods } from '../../api/dev/state-methods.ts';
import { timeMethods } from '../../api/dev/time-methods.ts';
import type { ForcedChecks } from '../../api/health/forced-checks.ts';
import type { AddressFormat } from '../../api/rpc/address-format.ts';
import { readUnlockedBalances } from '../../api/rpc/balance.ts';
import { combineServices, createService, type Services } from '../../api/rpc/method.ts';
import { parseBlock } from '../../avm/tx/block.ts';
import type { Account } from '../../avm/wallet/accounts.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import type { Fork } from '../../chain/fork/fork.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { Impersonation } from '../../chain/lifecycle/impersonation.ts';
import type { TxLifecycle } from '../../chain/lifecycle/tx-lifecycle.ts';
import type { SoloEngine } from '../../chain/solo/solo.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { NodeStore } from '../node/node-store.ts';
import type { ChainTools, RunningChain } from '../node/running-chain.ts';
import type { Env } from '../platform/env.ts';
import type { NodeState } from './node-state.ts';
import { createNodeWallet, createWalletServices, type DevServedChain } from './node-wallet.ts';
import { maxLoadedBytes } from './state-route.ts';
import type { StateTransfer } from './state-transfer.ts';

/** The chains, the accounts, and what the `dev.*` methods need of the node. */
type DevServicesDeps = Pick<FaultDeps, 'informReaders' | 'forceCheck'> & {
  readonly store: NodeStore;
  readonly context: NetworkContext;
  readonly parts: { readonly impersonation: Impersonation; readonly faults: CallFaults; readonly callLog: CallLog };
  /** Of the X-Chain. */
  readonly lifecycle: TxLifecycle;
  /** The first one is the X-Chain. */
  readonly chains: readonly DevServedChain[];
  readonly state: NodeState;
  readonly accounts: readonly [Account, ...Account[]];
  readonly labels: Labels;
  readonly events: EventBus;
  readonly timers: Env['timers'];
  readonly version: string;
  readonly forcedChecks: ForcedChecks['forced'];
  /** Copies the outputs of addresses from the forked node; undefined unless the chain is a fork. */
  readonly copyOutputs: Fork['copyAddresses'] | undefined;
};

/** Creates the `dev.*` methods, one line per group of methods, and their aliases. Blocks are those of the X-Chain. */
export function createDevServices(deps: DevServicesDeps): Services {
  const { store, context, parts, chains, informReaders } = deps;
  const { chain: shared, specs, clock, p, c } = context;
  const [x] = chains as readonly [DevServedChain, ...DevServedChain[]];
  const { chain } = x.tools as ChainTools;
  const engine = x.soloEngine as SoloEngine;
  const addressFormat = createChainAddressFormat(specs[0].id, shared);
  const wallet = createNodeWallet({
    x,
    context,
    accounts: deps.accounts,
    labels: deps.labels,
    events: deps.events,
    timers: deps.timers,
    impersonation: parts.impersonation,
    copyOutputs: deps.copyOutputs,
  });
  const formats = new Map([...specs, p, c].map(({ id }) => [id, createChainAddressFormat(id, shared)]));
  const formatOf = (chainID: Id): AddressFormat => formats.get(chainID) ?? createChainAddressFormat(chainID, shared);
  const fillerDeps = {
    chainParams: wallet.chainParams,
    utxos: x.reads.utxos,
    formatAddress: addressFormat.format,
    now: clock.unixSeconds,
  };
  const services = combineServices(
    ...createWalletServices(wallet, x, deps.lifecycle),
    createService('dev', labelMethods, {
      wallet,
      labels: deps.labels,
      hrp: shared.network.hrp,
      onChange: () => deps.events.publish({ kind: 'settings', changed: 'labels' }),
    }),
    createService('dev', crossChainMethods, {
      wallet,
      aliases: shared.aliases,
      counterparts: [p.id, c.id],
      addAtomicUtxo: (from, utxo) => store.putAtomicUtxo(specs[0].id, from, utxo),
      newDepositID: createDepositIds({
        lastAccepted: x.opened.ledger.lastAccepted,
        knowsAtomicUtxo: (source, utxoID) => store.knowsAtomicUtxo(specs[0].id, source, utxoID),
      }),
      listAtomicUtxos: store.listAtomicUtxos,
      atomicUtxos: store.readAtomicUtxos(specs[0].id),
      isTransferable: (assetID) => {
        const asset = x.opened.ledger.asset(assetID);
        return typeof asset === 'object' && asset.fxs.includes(0);
      },
      claimExport: x.opened.claimExport,
      formatOf,
    }),
    createService('dev', blocksMethods, {
      chain,
      engine,
      setPolicy: (policy) => {
        for (const { soloEngine } of chains) soloEngine?.setPolicy(policy);
        deps.events.publish({ kind: 'settings', changed: 'blocks' });
      },
      createFiller: () => createFillerTx(fillerDeps, { key: wallet.accounts[0].key }),
      advanceTime: clock.advance,
      longWork: shared.longWork,
      informReaders,
    }),
    createService('dev', timeMethods, { clock, lastBlockTime: () => x.lastAccepted().time, informReaders }),
    createService('dev', reorgMethods, {
      chain,
      engine,
      createFiller: (memo, avoided) => createReorgFiller(wallet.accounts, fillerDeps, { memo, avoided }),
      ledger: x.opened.ledger,
      txsOfBlock: (id) => parseBlock(x.opened.ledger.block(id) as Uint8Array).txs,
      revertToBlock: deps.state.snapshots.revertToBlock,
      returnToMempool: (txs) => {
        chain.restorePending(txs);
        const pooled = txs.filter((tx) => chain.mempool.get(tx.id) === tx);
        for (const tx of pooled) deps.events.publish({ kind: 'pooled', chainID: specs[0].id, tx });
        return pooled.length;
      },
      longWork: shared.longWork,
      informReaders,
    }),
    createService('dev', stateMethods, {
      ...deps.state.snapshots,
      formatAddress: addressFormat.format,
      longWork: shared.longWork,
      informReaders,
    }),
    createService('dev', identityMethods, {
      impersonation: parts.impersonation,
      wallet,
      onChange: () => deps.events.publish({ kind: 'settings', changed: 'impersonation' }),
    }),
    createService('dev', nodeMethods, { nodeInfo: () => describeNode(deps, x, wallet) }),
    createService('dev', peerMethods, {}),
    createService('dev', callMethods, { log: parts.callLog, loadAdvice }),
    createService('dev', faultMethods, { faults: parts.faults, informReaders, forceCheck: deps.forceCheck }),
  );
  const balanceOf: AliasDeps['balanceOf'] = (address) =>
    readUnlockedBalances(x.reads, wallet.resolveAddress(address), clock.unixSeconds()).get(feeAssetOf(context)) ?? 0n;
  return withAnvilAliases(services, { balanceOf, ...createStateCalls(deps.state.transfer) });
}

/** A state file as one value, for calls that cannot stream. */
const createStateCalls = ({ save, load }: StateTransfer): Pick<AliasDeps, 'dumpState' | 'loadState'> => ({
  dumpState: async (max) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of save()) {
      size += chunk.length;
      if (size > max)
        throw new DevError(`the state file has more than ${max} bytes; use GET and PUT /ext/dev/state`, {
          code: 'DEV_LIMIT',
          what: 'bytes',
          max,
        });
      chunks.push(chunk);
    }
    return concat(chunks);
  },
  loadState: (file) => load(once(file), maxLoadedBytes),
});

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** The texts of all errors are loaded when somebody reads the log of calls: most nodes need none of them. */
const loadAdvice = async () => {
  const { errorAdvice } = await import('../advice/error-advice.ts');
  return (code: string): string | undefined => errorAdvice.get(code)?.[1];
};

const feeAssetOf = ({ specs }: NetworkContext) => specs[0].genesis.assets[0].tx.id;

function describeNode({ context, parts, version, forcedChecks }: DevServicesDeps, x: RunningChain, wallet: DevWallet) {
  const { id, height, time } = x.lastAccepted();
  const now = context.clock.read();
  const { network } = context.chain;
  return {
    version,
    network: { id: network.id, name: network.name, hrp: network.hrp },
    blockchainID: idText(x.spec.id),
    height: String(height),
    blockID: idText(id),
    blockTime: String(time),
    time: String(now.time),
    offset: String(now.offset),
    frozen: now.isFrozen,
    ...formatPolicy((x.soloEngine as SoloEngine).policy()),
    pending: x.pendingTxs().txs,
    impersonated: parts.impersonation.addresses().length,
    impersonatedAddresses: listImpersonated({ impersonation: parts.impersonation, wallet }),
    autoImpersonate: parts.impersonation.isAll(),
    faults: [...parts.faults.list(), ...forcedChecks().map(([target, message]) => ({ kind: 'unhealthy', target, message }) as const)],
  };
}
