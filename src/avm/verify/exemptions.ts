import { type Id, parseId } from '../../base/bytes/id.ts';

/** A transaction that is accepted without checking one of the rules. */
type Exemption = { readonly txID: Id; readonly exemptFrom: 'operations'; readonly reason: string };

/** Accepted transactions that the rules would reject. IDs are hashes, so no row can match on another network. */
export const exemptions: readonly Exemption[] = [
  {
    txID: parseId('MkvpJS13eCnEYeYi9B5zuWrU9goG9RBj7nr83U7BjrFV22a12'),
    exemptFrom: 'operations',
    reason:
      'Accepted on Mainnet. AvalancheGo names it in vms/avm/txs/executor/semantic_verifier.go without a reason ' +
      'and does not check its operations. A node that checked them would fork from the network.',
  },
];

export const isExempt = (rule: Exemption['exemptFrom'], txID: Id): boolean =>
  exemptions.some((exemption) => exemption.txID === txID && exemption.exemptFrom === rule);
