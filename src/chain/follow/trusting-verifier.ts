import { spentRefs } from '../../avm/tx/effects.ts';
import { atomicUtxo, localUtxo } from '../../avm/verify/spend.ts';
import type { BlockVerifier } from '../lifecycle/tx-verifier.ts';

/**
 * For blocks of a node that the operator trusts: it has verified signatures, amounts and fees, which is most of the work with a block. What is
 * left is what storing a block relies on: every output that a transaction consumes exists and is unspent.
 */
export const trustingVerifier: BlockVerifier = {
  verifySyntax: () => {},
  verifySpend: ({ unsigned }, view) => {
    for (const ref of spentRefs(unsigned)) localUtxo(ref, view);
    if (unsigned.kind === 'ImportTx') for (const input of unsigned.importedInputs) atomicUtxo(input, unsigned.sourceChain, view);
  },
};
