import { type Id, parseId } from '../bytes/id.ts';

export type Quirk = { readonly txID: Id; readonly waives: 'operations'; readonly reason: string };

/** Accepted history that today's rules would refuse. Ids are hashes, so no row can match on another network. */
export const quirks: readonly Quirk[] = [
  {
    txID: parseId('MkvpJS13eCnEYeYi9B5zuWrU9goG9RBj7nr83U7BjrFV22a12'),
    waives: 'operations',
    reason:
      'Accepted on Mainnet; the peer names it in vms/avm/txs/executor/semantic_verifier.go, without saying why, ' +
      'and never checks its operations. A node that did would part from the network there.',
  },
];

export const isWaived = (rule: Quirk['waives'], txID: Id): boolean => quirks.some((quirk) => quirk.txID === txID && quirk.waives === rule);
