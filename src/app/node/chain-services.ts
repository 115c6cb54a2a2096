import { type AddressFormat, createAddressFormat } from '../../api/rpc/address-format.ts';
import { type AvmReads, avmMethods, createAvmContext } from '../../api/rpc/avm.ts';
import { combineServices, createService, type Service } from '../../api/rpc/method.ts';
import { createResultCache } from '../../api/rpc/result-cache.ts';
import { walletMethods } from '../../api/rpc/wallet.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { ExplainedStatus } from '../../chain/lifecycle/ledger.ts';
import type { AvmChainSpec, ChainContext, ChainTxs } from './running-chain.ts';

/**
 * Creates the RPC services of a chain: `avm` and `wallet`. Called once for each chain: by node-chain.ts in the process that adds blocks, and by
 * reader-rpc.ts in a reader process, which forwards calls that issue transactions. `differences` says where this node answers otherwise than
 * AvalancheGo; with `--strict` nowhere (api/differences.ts).
 */
export function createChainServices(spec: AvmChainSpec, reads: AvmReads, txs: ChainTxs, chainContext: ChainContext) {
  const { differences } = chainContext;
  const addressFormat = createChainAddressFormat(spec.id, chainContext);
  const context = createAvmContext({
    reads,
    addressFormat,
    json: { address: addressFormat.format, id: idText },
    // What `txs` of block 0 and `credentials` of its transactions are in JSON.
    emptyGenesisList: differences.genesisLists ? '[]' : 'null',
    fees: spec.fees,
    assetAliases: new Map(spec.genesis.assets.map(({ alias, tx }) => [alias, tx.id])),
    now: chainContext.now,
    longWork: chainContext.longWork,
    issue: txs.issue,
    explainStatus: differences.txStatus ? txs.explainStatus : avalancheGoStatus(reads, txs),
    preLinearizationTx: txs.preLinearizationTx,
  });
  // Results of `avm` are cached until the next commit; `wallet` only issues transactions, so it has nothing to cache.
  const avmService: Service = createService('avm', avmMethods, context, createResultCache(reads.version));
  // Each service has a route of its own, so each is combined alone.
  return {
    avm: combineServices(avmService),
    wallet: combineServices(createService('wallet', walletMethods, { queueWalletTx: txs.queueWalletTx })),
  };
}

/**
 * The status as AvalancheGo reports it: only Accepted or Unknown. AvalancheGo has also accepted transactions from before linearization (when the X-Chain
 * had a DAG of transactions in place of blocks). They are not stored here: `explainStatus` of a chain that follows another node asks that
 * node about them. A chain without `preLinearizationTx` has none.
 */
const avalancheGoStatus =
  (reads: AvmReads, { explainStatus, preLinearizationTx }: ChainTxs) =>
  async (txID: Id): Promise<ExplainedStatus> => {
    if (reads.hasTx(txID)) return { status: 'Accepted' };
    if (preLinearizationTx === undefined) return { status: 'Unknown' };
    const { status } = await explainStatus(txID);
    return { status: status === 'Accepted' ? status : 'Unknown' };
  };

/**
 * Creates the parser and formatter of a chain's addresses. `hasOwnOutputs`: whether the chain has UTXOs of its own; false for the C-Chain, which has
 * only those that other chains exported to it.
 */
export const createChainAddressFormat = (
  chainID: Id,
  { network, aliases, differences }: ChainContext,
  { hasOwnOutputs = true }: { readonly hasOwnOutputs?: boolean } = {},
): AddressFormat =>
  createAddressFormat({
    chainID,
    hrp: network.hrp,
    aliases,
    format: createAddressFormatter(aliases.primary(chainID), network.hrp),
    hasOwnOutputs,
    requireExactLength: differences.addressLength,
  });
