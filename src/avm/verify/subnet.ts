import { type Id, idText } from '../../base/bytes/id.ts';
import { TxError } from './fault.ts';

export type SubnetContext = {
  readonly chainID: Id;
  readonly subnetID: Id;
  /** The subnet of a chain, or undefined if the chain is unknown. */
  readonly subnetOf: (chainID: Id) => Id | undefined;
};

/** Verifies that the other chain is in the same subnet: only those share memory. AvalancheGo: vms/components/verify/subnet.go; its messages quote IDs. */
export function verifySameSubnet(chainID: Id, context: SubnetContext): void {
  if (chainID === context.chainID) throw new TxError('same chainID', { code: 'TX_SAME_CHAIN', chainID: idText(chainID) });
  const subnetID = context.subnetOf(chainID);
  if (subnetID === undefined) throw unknownChain(idText(chainID));
  if (subnetID !== context.subnetID) throw wrongSubnet(idText(context.subnetID), idText(subnetID));
}

const unknownChain = (chainID: string) =>
  new TxError(`failed to get subnet of "${chainID}": problem retrieving blockchain "${chainID}": not found`, {
    code: 'TX_UNKNOWN_CHAIN',
    chainID,
  });

const wrongSubnet = (want: string, got: string) =>
  new TxError(`mismatched subnetIDs; expected "${want}" got "${got}"`, { code: 'TX_WRONG_SUBNET', want, got });
