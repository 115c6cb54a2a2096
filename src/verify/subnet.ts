import { type Id, idText } from '../bytes/id.ts';
import { TxError } from './fault.ts';

export type SubnetContext = {
  readonly chainID: Id;
  readonly subnetID: Id;
  /** The subnet a chain belongs to; undefined if there is no such chain. */
  readonly subnetOf: (chainID: Id) => Id | undefined;
};

/** Chains share memory with the others of their subnet. Peer: vms/components/verify/subnet.go; its texts quote ids. */
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
