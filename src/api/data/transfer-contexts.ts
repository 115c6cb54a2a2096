import type { ServedChain } from '../rest/served-chains.ts';
import type { FoundLabels } from './asset-labels.ts';
import { createTransferContext, type TransferContext } from './write-transfer-output.ts';

/** Returns what items of a chain are written with. `labels`: the labels of their assets, from the `AssetLabels` of that chain. */
export type TransferContexts = (chain: ServedChain, hrp: string, labels: FoundLabels) => TransferContext;

/** Everything in a context that depends on the HRP only. The same HRP gives the same `formatAddress`. */
type HrpContext = Pick<TransferContext, 'formatAddress' | 'publicKeyText' | 'addressTexts' | 'keyTexts'>;

/** Reuses the context of cached labels: making one takes as long as writing an output. There is one per chain and HRP. */
export function createTransferContexts(contextOf: (hrp: string) => HrpContext): TransferContexts {
  const reused = new WeakMap<FoundLabels, Map<HrpContext['formatAddress'], TransferContext>>();
  return (chain, hrp, labels) => {
    const ofHrp = contextOf(hrp);
    const cached = reused.get(labels)?.get(ofHrp.formatAddress);
    if (cached !== undefined) return cached;
    const made = createTransferContext(
      { ...ofHrp, labelOf: labels.labelOf, mayBeImported: chain.foreignImports !== undefined },
      chain.id,
      ofHrp,
    );
    const contexts = reused.get(labels) ?? new Map();
    reused.set(labels, contexts.set(ofHrp.formatAddress, made));
    return made;
  };
}
