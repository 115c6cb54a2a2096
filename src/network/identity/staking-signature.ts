import { type KeyObject, sign, verify } from 'node:crypto';
import { CertificateError, certificatePublicKey } from './parse-certificate.ts';

/**
 * Whether the key of a staking certificate made a signature of a message: ECDSA in DER, or RSA with PKCS #1 v1.5, over SHA-256. Returns
 * undefined if AvalancheGo does not accept the certificate. AvalancheGo: staking/verify.go.
 */
export function verifyStakingSignature(certificate: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | undefined {
  const key = publicKeyOf(certificate);
  return key === undefined ? undefined : verify('sha256', message, key, signature);
}

/** Signs with the key of a staking certificate. */
export const signStaking = (privateKey: KeyObject, message: Uint8Array): Uint8Array => sign('sha256', message, privateKey);

function publicKeyOf(certificate: Uint8Array): KeyObject | undefined {
  try {
    return certificatePublicKey(certificate);
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}
