import { cb58Decode } from '../bytes/cb58.ts';
import { idText } from '../bytes/id.ts';
import { ewoqKey } from '../cli/banner.ts';
import { type AliasDeps, withAnvilAliases } from '../dev/anvil-aliases.ts';
import { atomicMethods } from '../dev/atomic-methods.ts';
import { blocksMethods, formatPolicy } from '../dev/blocks-methods.ts';
import { type FaultDeps, faultMethods } from '../dev/fault-methods.ts';
import { createFillerTx } from '../dev/filler-tx.ts';
import { identityMethods } from '../dev/identity-methods.ts';
import { insightMethods } from '../dev/insight-methods.ts';
import { timeMethods } from '../dev/time-methods.ts';
import type { AvmReads } from '../rpc/avm.ts';
import { sumBalanceRows } from '../rpc/balance.ts';
import { combineServices, createService, type Services } from '../rpc/method.ts';
import type { Json } from '../rpc/write-json.ts';
import { createChainAddressFormat, type DevChain, type RunningChain } from './avm-chain.ts';
import type { DevParts } from './dev-parts.ts';
import type { NetworkContext } from './network-context.ts';
import type { NodeStore } from './node-store.ts';

export type DevServicesDeps = Pick<FaultDeps, 'informReaders' | 'forceCheck'> & {
  readonly store: NodeStore;
  readonly context: NetworkContext;
  readonly parts: DevParts;
  readonly chains: readonly (RunningChain & { readonly reads: AvmReads })[];
  readonly version: string;
};

/** Creates the `dev.*` methods, one line per group of methods, and their aliases. Blocks are those of the X-Chain. */
export function createDevServices(deps: DevServicesDeps): Services {
  const { store, context, parts, chains } = deps;
  const { chain: shared, specs, clock } = context;
  const [x] = chains as readonly [(typeof chains)[number], ...typeof chains];
  const { chain, engine, explain, prepare } = x.dev as DevChain;
  const addressFormat = createChainAddressFormat(specs[0].id, shared);
  const services = combineServices(
    createService('dev', atomicMethods, {
      aliases: shared.aliases,
      addAtomicUtxo: (from, utxo) => store.putAtomicUtxo(specs[0].id, from, utxo),
    }),
    createService('dev', blocksMethods, {
      chain,
      engine,
      setPolicy: (policy) => {
        for (const { dev } of chains) dev?.engine.setPolicy(policy);
      },
      createFiller: createFiller(context, x.reads, addressFormat.format),
      advanceTime: clock.advance,
      longWork: shared.longWork,
      informReaders: deps.informReaders,
    }),
    createService('dev', timeMethods, { clock, lastBlockTime: () => x.lastAccepted().time, informReaders: deps.informReaders }),
    createService('dev', identityMethods, { impersonation: parts.impersonation, addressFormat }),
    createService('dev', insightMethods, {
      chain,
      explain,
      prepare,
      lifecycle: parts.lifecycle,
      json: { address: addressFormat.format, id: idText },
      nodeInfo: () => describeNode(deps, x),
    }),
    createService('dev', faultMethods, { faults: parts.faults, informReaders: deps.informReaders, forceCheck: deps.forceCheck }),
  );
  const balanceOf: AliasDeps['balanceOf'] = (address) =>
    sumBalanceRows(x.reads.balances(addressFormat.parse(address)), { includePartial: false, now: clock.unixSeconds() }).get(
      feeAssetOf(context),
    ) ?? 0n;
  return withAnvilAliases(services, { balanceOf });
}

const feeAssetOf = ({ specs }: NetworkContext) => specs[0].genesis.assets[0].tx.id;

const createFiller =
  (context: NetworkContext, reads: AvmReads, formatAddress: Parameters<typeof createFillerTx>[0]['formatAddress']) => () =>
    createFillerTx({
      networkID: context.chain.network.id,
      chainID: context.specs[0].id,
      feeAsset: feeAssetOf(context),
      txFee: context.specs[0].fees.txFee,
      account: { key: cb58Decode(ewoqKey.text.slice('PrivateKey-'.length)), address: ewoqKey.address },
      utxos: reads.utxos,
      formatAddress,
      now: context.clock.unixSeconds,
    });

function describeNode({ context, parts, version }: DevServicesDeps, x: RunningChain): Json {
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
    ...formatPolicy((x.dev as DevChain).engine.policy()),
    pending: x.pendingTxs().txs,
    impersonated: parts.impersonation.addresses().length,
    autoImpersonate: parts.impersonation.isAll(),
    faults: parts.faults.isActive(),
  };
}
