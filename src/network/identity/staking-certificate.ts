import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { equal } from '../../base/bytes/octets.ts';
import { Fault } from '../../base/fault.ts';
import { bitString, type DerReader, derTags, objectId, readDer, sequence } from './der.ts';

/**
 * Returns the public key of a staking certificate: P-256, or RSA of 2048 or 4096 bits with exponent 65537. Other parts of the
 * certificate are not verified. AvalancheGo: staking/parse.go.
 */
export function certificatePublicKey(certificate: Uint8Array): KeyObject {
  if (certificate.length > maxCertificate)
    throw new CertificateError(`staking: certificate length is greater than ${maxCertificate}`, { code: 'CERTIFICATE_TOO_LARGE' });
  const whole = requirePart(readDer(certificate).take(derTags.sequence), 'certificate');
  const body = readDer(requirePart(readDer(whole).take(derTags.sequence), 'tbs certificate'));
  if (!body.skipOptional(derTags.version)) throw malformed('version');
  for (const [tag, part] of fieldsBeforeKey) if (!body.skip(tag)) throw malformed(part);
  const keyInfo = readDer(requirePart(body.take(derTags.sequence), 'spki'));
  const algorithm = readDer(requirePart(keyInfo.take(derTags.sequence), 'public key algorithm identifier'));
  const oid = requirePart(algorithm.take(derTags.objectId), 'oid');
  const key = requirePart(readBitString(keyInfo), 'subject public key');
  if (equal(oid, rsaEncryption.content)) return rsaKey(key);
  if (equal(oid, ecPublicKey.content)) return ecKey(key);
  throw new CertificateError('staking: unknown public key algorithm', { code: 'CERTIFICATE_UNKNOWN_ALGORITHM' });
}

const maxCertificate = 2048;

/** The fields between version and key, with their names in error messages. */
const fieldsBeforeKey: readonly (readonly [number, string])[] = [
  [derTags.integer, 'serial number'],
  [derTags.sequence, 'signature algorithm identifier'],
  [derTags.sequence, 'issuer'],
  [derTags.sequence, 'validity'],
  [derTags.sequence, 'issuer'],
];

const oidOf = (dotted: string) => ({ der: objectId(dotted), content: objectId(dotted).subarray(2) });
const rsaEncryption = oidOf('1.2.840.113549.1.1.1');
const ecPublicKey = oidOf('1.2.840.10045.2.1');
const p256 = oidOf('1.2.840.10045.3.1.7');

/** Reads a bit string of whole bytes. AvalancheGo shifts a key with unused bits and then rejects it. */
function readBitString(reader: DerReader): Uint8Array | undefined {
  const content = reader.take(derTags.bitString);
  return content?.[0] === 0 ? content.subarray(1) : undefined;
}

function rsaKey(key: Uint8Array): KeyObject {
  const fields = readDer(requireRsaPart(readDer(key).take(derTags.sequence), 'public key'));
  const modulus = requireRsaPart(readInteger(fields), 'modulus');
  const exponent = requireRsaPart(readInteger(fields), 'public exponent');
  if (modulus <= 0n) throw badKey('staking: RSA modulus is not a positive number');
  const bits = modulus.toString(2).length;
  if (bits !== 2048 && bits !== 4096) throw badKey(`staking: unsupported RSA modulus bitlen: ${bits}`);
  if (modulus % 2n === 0n) throw badKey('staking: RSA modulus is an even number');
  if (exponent !== 65_537n) throw badKey(`staking: unsupported RSA public exponent: ${exponent}`);
  return publicKey(sequence(sequence(rsaEncryption.der, Uint8Array.of(0x05, 0x00)), bitString(key)), 'staking: invalid RSA public key');
}

/** The curve is always P-256; as in AvalancheGo, the curve named in the certificate is ignored. */
const ecKey = (point: Uint8Array): KeyObject => {
  const message = 'staking: failed to unmarshal elliptic curve point';
  if (point.length !== 65 || point[0] !== 4) throw badKey(message);
  return publicKey(sequence(sequence(ecPublicKey.der, p256.der), bitString(point)), message);
};

function publicKey(spki: Uint8Array, message: string): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch {
    throw badKey(message);
  }
}

/** Reads a two's-complement integer in minimal form. */
function readInteger(reader: DerReader): bigint | undefined {
  const bytes = reader.take(derTags.integer);
  const first = bytes?.[0];
  if (bytes === undefined || first === undefined) return undefined;
  const second = bytes[1];
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) return undefined;
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return first < 0x80 ? value : value - (1n << BigInt(8 * bytes.length));
}

type CertificateFault =
  | { code: 'CERTIFICATE_TOO_LARGE' }
  | { code: 'CERTIFICATE_MALFORMED'; part: string }
  | { code: 'CERTIFICATE_UNKNOWN_ALGORITHM' }
  | { code: 'CERTIFICATE_BAD_KEY' };
export class CertificateError extends Fault<CertificateFault> {}

const malformed = (part: string) => new CertificateError(`staking: malformed ${part}`, { code: 'CERTIFICATE_MALFORMED', part });
const badKey = (text: string) => new CertificateError(text, { code: 'CERTIFICATE_BAD_KEY' });

function requirePart(bytes: Uint8Array | undefined, part: string): Uint8Array {
  if (bytes === undefined) throw malformed(part);
  return bytes;
}

function requireRsaPart<T>(value: T | undefined, part: string): T {
  if (value === undefined) throw badKey(`staking: invalid RSA ${part}`);
  return value;
}

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
