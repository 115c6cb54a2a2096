import { type AddressFormat, createAddressFormat } from '../../api/rpc/address-format.ts';
import { type AvmReads, avmMethods, createAvmContext } from '../../api/rpc/avm.ts';
import { combineServices, createService, type Service } from '../../api/rpc/method.ts';
import { createResultCache } from '../../api/rpc/result-cache.ts';
import { walletMethods } from '../../api/rpc/wallet.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { ExplainedStatus } from '../../chain/lifecycle/ledger.ts';
import type { AvmChainSpec, ChainContext, ChainTxs } from './running-chain.ts';

/** Creates the RPC services of a chain: `avm` and `wallet`. */
export function createChainServices(spec: AvmChainSpec, reads: AvmReads, txIssuer: ChainTxs, chainContext: ChainContext) {
  const addressFormat = createChainAddressFormat(spec.id, chainContext);
  const context = createAvmContext({
    reads,
    addressFormat: addressFormat,
    json: { address: addressFormat.format, id: idText },
    emptyGenesisList: chainContext.differences.genesisLists ? '[]' : 'null',
    fees: spec.fees,
    assetAliases: new Map(spec.genesis.assets.map(({ alias, tx }) => [alias, tx.id])),
    now: chainContext.now,
    longWork: chainContext.longWork,
    issue: txIssuer.issue,
    explainStatus: chainContext.differences.txStatus ? txIssuer.explainStatus : avalancheGoStatus(reads, txIssuer),
    preLinearizationTx: txIssuer.preLinearizationTx,
  });
  const avmService: Service = createService('avm', avmMethods, context, createResultCache(reads.version));
  return {
    avm: combineServices(avmService),
    wallet: combineServices(createService('wallet', walletMethods, { queueWalletTx: txIssuer.queueWalletTx })),
  };
}

/**
 * The status as AvalancheGo reports it: only Accepted or Unknown. AvalancheGo has also accepted transactions from before linearization, which
 * are not stored here, so the followed node is asked about them.
 */
const avalancheGoStatus =
  (reads: AvmReads, { explainStatus, preLinearizationTx }: ChainTxs) =>
  async (txID: Id): Promise<ExplainedStatus> => {
    if (reads.hasTx(txID)) return { status: 'Accepted' };
    if (preLinearizationTx === undefined) return { status: 'Unknown' };
    const { status } = await explainStatus(txID);
    return { status: status === 'Accepted' ? status : 'Unknown' };
  };

/** Creates the parser and formatter of a chain's addresses. */
export const createChainAddressFormat = (
  chainID: Id,
  { network, aliases, differences }: ChainContext,
  hasOwnOutputs = true,
): AddressFormat =>
  createAddressFormat({
    chainID,
    hrp: network.hrp,
    aliases,
    format: createAddressFormatter(aliases.primary(chainID), network.hrp),
    hasOwnOutputs: hasOwnOutputs,
    requireExactLength: differences.addressLength,
  });
