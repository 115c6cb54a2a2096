import type { KeyObject } from 'node:crypto';
import type { BlsSigner } from '../identity/bls.ts';
import { signStaking } from '../identity/staking-signature.ts';
import { type ClaimedAddress, claimedAddressBytes } from '../protocol/signed-ip.ts';

/** The address of this node with the signatures of its keys. */
export type SignedAddress = ClaimedAddress & { readonly tlsSignature: Uint8Array; readonly blsSignature: Uint8Array };

/** Signs an address. It is signed once per start; peers prefer the claim with the later time. AvalancheGo: network/peer/ip_signer.go. */
export async function signAddress(
  address: ClaimedAddress,
  keys: { readonly privateKey: KeyObject; readonly signer: BlsSigner },
): Promise<SignedAddress> {
  const bytes = claimedAddressBytes(address);
  const blsSignature = await keys.signer.signPossession(bytes);
  return { ...address, tlsSignature: signStaking(keys.privateKey, bytes), blsSignature };
}
