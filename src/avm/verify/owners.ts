import { type Address, shortIdText } from '../../base/bytes/address.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import { type RecoverSigner, SignatureError, type SignatureFault } from '../../base/crypto/recover.ts';
import type { OutputOwners } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { firstUnsortedIndex } from './order.ts';

/** What verifying signatures needs besides the output. */
export type SignatureContext = {
  /** The signed part of the transaction. */
  readonly message: Uint8Array;
  /** Unix seconds of the local clock. Locktimes are compared with it, not with the block time. */
  readonly now: bigint;
  readonly recover: RecoverSigner;
  /** Formats an address with the chain's alias and prefix. */
  readonly addressText: (address: Address) => string;
  /** False while catching up with the network, which has already verified the signatures: they are skipped. */
  readonly bootstrapped: boolean;
  /** If set, it receives each signature, and no signer is recovered. */
  readonly onExpectedSignature?: ((one: ExpectedSignature) => void) | undefined;
  /** Whether an owner's signature may be missing or wrong, because the owner is impersonated. Undefined: no owner's. */
  readonly acceptUnsigned?: ((owner: Address) => boolean) | undefined;
};

/** A signature and the address that must have made it. `signer`: who has made it, or why nobody has, once another thread has found that. */
export type ExpectedSignature = { readonly signature: Uint8Array; readonly owner: Address; signer?: Address | SignatureFault | undefined };

/** AvalancheGo: vms/secp256k1fx/output_owners.go, Verify. */
export function verifyOwners({ threshold, addresses }: OutputOwners): void {
  if (threshold > addresses.length)
    throw new TxError('output is unspendable', { code: 'TX_OUTPUT_UNSPENDABLE', threshold, addresses: addresses.length });
  if (threshold === 0 && addresses.length > 0)
    throw new TxError('output representation should be optimized', { code: 'TX_OUTPUT_UNOPTIMIZED', addresses: addresses.length });
  const index = firstUnsortedIndex(addresses, compareHex);
  if (index >= 0) throw new TxError('addresses not sorted and unique', { code: 'TX_ADDRESSES_NOT_SORTED', index });
}

export const ownersEqual = (a: OutputOwners, b: OutputOwners): boolean =>
  a.locktime === b.locktime &&
  a.threshold === b.threshold &&
  a.addresses.length === b.addresses.length &&
  a.addresses.every((address, i) => address === b.addresses[i]);

/** Verifies that the owners named by `signatureIndices` have signed and reach the threshold. AvalancheGo: vms/secp256k1fx/fx.go, VerifyCredentials. */
export function verifySignatures(
  owners: OutputOwners,
  signatureIndices: readonly number[],
  signatures: readonly Uint8Array[],
  signing: SignatureContext,
): void {
  const { threshold, addresses, locktime } = owners;
  const got = signatureIndices.length;
  if (locktime > signing.now)
    throw new TxError('output is time locked', { code: 'TX_TIME_LOCKED', locktime: String(locktime), now: String(signing.now) });
  if (threshold < got) throw new TxError('input has more signers than expected', { code: 'TX_TOO_MANY_SIGNERS', want: threshold, got });
  if (threshold > got) throw new TxError('input has less signers than expected', { code: 'TX_TOO_FEW_SIGNERS', want: threshold, got });
  const isUnsigned = signatures.length === 0 && signing.acceptUnsigned !== undefined;
  if (!isUnsigned) verifySignatureCount(got, signatures.length);
  if (!signing.bootstrapped) return;
  for (let i = 0; i < got; i++) {
    const index = signatureIndices[i] as number;
    const owner = addresses[index];
    if (owner === undefined)
      throw new TxError('input referenced a nonexistent address in the output', {
        code: 'TX_SIGNER_OUT_OF_BOUNDS',
        index,
        addresses: addresses.length,
      });
    if (isUnsigned) {
      if (signing.acceptUnsigned?.(owner) !== true) verifySignatureCount(got, 0);
      continue;
    }
    const signature = signatures[i] as Uint8Array;
    if (signing.onExpectedSignature !== undefined) {
      signing.onExpectedSignature({ signature, owner, signer: undefined });
      continue;
    }
    if (signing.acceptUnsigned === undefined) verifySigner(owner, signature, signing);
    else verifySignerUnlessAccepted(owner, signature, signing, signing.acceptUnsigned);
  }
}

function verifySigner(owner: Address, signature: Uint8Array, signing: SignatureContext): void {
  const signer = signerOf(signature, signing);
  if (signer !== owner) throw wrongSignature(owner, signer, signing);
}

function verifySignerUnlessAccepted(
  owner: Address,
  signature: Uint8Array,
  signing: SignatureContext,
  acceptUnsigned: (owner: Address) => boolean,
): void {
  try {
    verifySigner(owner, signature, signing);
  } catch (error) {
    if (!(error instanceof TxError) || !acceptUnsigned(owner)) throw error;
  }
}

/** The same for an output whose owners are unknown: checks the number of signatures, that each is valid, and that the signers are sorted. */
export function verifySignaturesOnly(
  signatureIndices: readonly number[],
  signatures: readonly Uint8Array[],
  signing: SignatureContext,
): void {
  verifySignatureCount(signatureIndices.length, signatures.length);
  if (signing.onExpectedSignature !== undefined) return;
  const index = firstUnsortedIndex(
    signatures.map((signature) => signerOf(signature, signing)),
    compareHex,
  );
  if (index >= 0) throw new TxError('addresses not sorted and unique', { code: 'TX_ADDRESSES_NOT_SORTED', index });
}

function verifySignatureCount(want: number, got: number): void {
  if (got !== want)
    throw new TxError('input expected a different number of signers than provided in the credential', {
      code: 'TX_SIGNATURE_COUNT',
      want,
      got,
    });
}

function signerOf(signature: Uint8Array, { recover, message }: SignatureContext): Address {
  try {
    return recover(message, signature);
  } catch (error) {
    throw error instanceof SignatureError ? new TxError(error.message, error.fault) : error;
  }
}

const wrongSignature = (want: Address, got: Address, { addressText }: SignatureContext) =>
  new TxError(`wrong signature: expected signature from ${shortIdText(want)} but got from ${shortIdText(got)}`, {
    code: 'TX_WRONG_SIGNATURE',
    want: addressText(want),
    got: addressText(got),
  });
