import { type Address, shortIdText } from '../bytes/address.ts';
import { compareHex } from '../bytes/octets.ts';
import { SignatureError } from '../crypto/fault.ts';
import type { RecoverSigner } from '../crypto/recover.ts';
import type { OutputOwners } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { firstNotAfter } from './order.ts';

/** What a spend is signed with and judged by, apart from the output itself. */
export type Signing = {
  /** The signed part of the transaction. */
  readonly message: Uint8Array;
  /** Unix seconds of the local clock: lock times are no matter of block time. */
  readonly now: bigint;
  readonly recover: RecoverSigner;
  /** An address as the chain writes it. */
  readonly addressText: (address: Address) => string;
  /** False while catching up: the network has judged the signatures before. */
  readonly bootstrapped: boolean;
  /** Given: signatures are passed to it and not recovered. */
  readonly expect?: ((one: ExpectedSignature) => void) | undefined;
};

/** A signature and the only signer that would make it right. */
export type ExpectedSignature = { readonly signature: Uint8Array; readonly owner: Address };

/** Peer: vms/secp256k1fx/output_owners.go, Verify. */
export function verifyOwners({ threshold, addresses }: OutputOwners): void {
  if (threshold > addresses.length)
    throw new TxError('output is unspendable', { code: 'TX_OUTPUT_UNSPENDABLE', threshold, addresses: addresses.length });
  if (threshold === 0 && addresses.length > 0)
    throw new TxError('output representation should be optimized', { code: 'TX_OUTPUT_UNOPTIMIZED', addresses: addresses.length });
  const index = firstNotAfter(addresses, compareHex);
  if (index >= 0) throw new TxError('addresses not sorted and unique', { code: 'TX_ADDRESSES_NOT_SORTED', index });
}

export const sameOwners = (a: OutputOwners, b: OutputOwners): boolean =>
  a.locktime === b.locktime &&
  a.threshold === b.threshold &&
  a.addresses.length === b.addresses.length &&
  a.addresses.every((address, i) => address === b.addresses[i]);

/** That as many owners as needed have signed, each at the place the input says. Peer: vms/secp256k1fx/fx.go, VerifyCredentials. */
export function verifySigned(
  owners: OutputOwners,
  signatureIndices: readonly number[],
  signatures: readonly Uint8Array[],
  signing: Signing,
): void {
  const { threshold, addresses, locktime } = owners;
  const got = signatureIndices.length;
  if (locktime > signing.now)
    throw new TxError('output is time locked', { code: 'TX_TIME_LOCKED', locktime: String(locktime), now: String(signing.now) });
  if (threshold < got) throw new TxError('input has more signers than expected', { code: 'TX_TOO_MANY_SIGNERS', want: threshold, got });
  if (threshold > got) throw new TxError('input has less signers than expected', { code: 'TX_TOO_FEW_SIGNERS', want: threshold, got });
  verifyCount(got, signatures.length);
  if (!signing.bootstrapped) return;
  for (const [i, index] of signatureIndices.entries()) {
    const owner = addresses[index];
    if (owner === undefined)
      throw new TxError('input referenced a nonexistent address in the output', {
        code: 'TX_SIGNER_OUT_OF_BOUNDS',
        index,
        addresses: addresses.length,
      });
    const signature = signatures[i] as Uint8Array;
    if (signing.expect !== undefined) {
      signing.expect({ signature, owner });
      continue;
    }
    const signer = signerOf(signature, signing);
    if (signer !== owner) throw wrongSignature(owner, signer, signing);
  }
}

/** The same for an output whose owners nobody could tell: as many signatures as the input says, all good, by owners in their order. */
export function verifySignaturesOnly(signatureIndices: readonly number[], signatures: readonly Uint8Array[], signing: Signing): void {
  verifyCount(signatureIndices.length, signatures.length);
  if (signing.expect !== undefined) return;
  const index = firstNotAfter(
    signatures.map((signature) => signerOf(signature, signing)),
    compareHex,
  );
  if (index >= 0) throw new TxError('addresses not sorted and unique', { code: 'TX_ADDRESSES_NOT_SORTED', index });
}

function verifyCount(want: number, got: number): void {
  if (got !== want)
    throw new TxError('input expected a different number of signers than provided in the credential', {
      code: 'TX_SIGNATURE_COUNT',
      want,
      got,
    });
}

function signerOf(signature: Uint8Array, { recover, message }: Signing): Address {
  try {
    return recover(message, signature);
  } catch (error) {
    throw error instanceof SignatureError ? new TxError(error.message, error.fault) : error;
  }
}

const wrongSignature = (want: Address, got: Address, { addressText }: Signing) =>
  new TxError(`wrong signature: expected signature from ${shortIdText(want)} but got from ${shortIdText(got)}`, {
    code: 'TX_WRONG_SIGNATURE',
    want: addressText(want),
    got: addressText(got),
  });
