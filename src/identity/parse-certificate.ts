import { createPublicKey, type KeyObject } from 'node:crypto';
import { equal } from '../bytes/octets.ts';
import { Fault } from '../fault.ts';
import { bitString, objectId, sequence } from './der.ts';
import { type DerReader, derTag, readDer } from './der-reader.ts';

/**
 * The public key of a staking certificate, under the peer's rules: P-256, or RSA of 2048 or 4096 bits with exponent 65537.
 * Nothing else of the certificate is judged. Peer: staking/parse.go.
 */
export function certificatePublicKey(certificate: Uint8Array): KeyObject {
  if (certificate.length > maxCertificate)
    throw new CertificateError(`staking: certificate length is greater than ${maxCertificate}`, { code: 'CERTIFICATE_TOO_LARGE' });
  const whole = need(readDer(certificate).take(derTag.sequence), 'certificate');
  const body = readDer(need(readDer(whole).take(derTag.sequence), 'tbs certificate'));
  if (!body.skipOptional(derTag.version)) throw malformed('version');
  for (const [tag, part] of beforeTheKey) if (!body.skip(tag)) throw malformed(part);
  const keyInfo = readDer(need(body.take(derTag.sequence), 'spki'));
  const algorithm = readDer(need(keyInfo.take(derTag.sequence), 'public key algorithm identifier'));
  const oid = need(algorithm.take(derTag.objectId), 'oid');
  const key = need(readBitString(keyInfo), 'subject public key');
  if (equal(oid, rsaEncryption.content)) return rsaKey(key);
  if (equal(oid, ecPublicKey.content)) return ecKey(key);
  throw new CertificateError('staking: unknown public key algorithm', { code: 'CERTIFICATE_UNKNOWN_ALGORITHM' });
}

const maxCertificate = 2048;

/** What stands between the version and the key, each with the name it is missed by. */
const beforeTheKey: readonly (readonly [number, string])[] = [
  [derTag.integer, 'serial number'],
  [derTag.sequence, 'signature algorithm identifier'],
  [derTag.sequence, 'issuer'],
  [derTag.sequence, 'validity'],
  [derTag.sequence, 'issuer'],
];

const oidOf = (dotted: string) => ({ der: objectId(dotted), content: objectId(dotted).subarray(2) });
const rsaEncryption = oidOf('1.2.840.113549.1.1.1');
const ecPublicKey = oidOf('1.2.840.10045.2.1');
const p256 = oidOf('1.2.840.10045.3.1.7');

/** Whole bytes only: a key with left-over bits is read by the peer as shifted, and then refused for it. */
function readBitString(reader: DerReader): Uint8Array | undefined {
  const content = reader.take(derTag.bitString);
  return content?.[0] === 0 ? content.subarray(1) : undefined;
}

function rsaKey(key: Uint8Array): KeyObject {
  const fields = readDer(keyNeed(readDer(key).take(derTag.sequence), 'public key'));
  const modulus = keyNeed(readInteger(fields), 'modulus');
  const exponent = keyNeed(readInteger(fields), 'public exponent');
  if (modulus <= 0n) throw badKey('staking: RSA modulus is not a positive number');
  const bits = modulus.toString(2).length;
  if (bits !== 2048 && bits !== 4096) throw badKey(`staking: unsupported RSA modulus bitlen: ${bits}`);
  if (modulus % 2n === 0n) throw badKey('staking: RSA modulus is an even number');
  if (exponent !== 65_537n) throw badKey(`staking: unsupported RSA public exponent: ${exponent}`);
  return publicKey(sequence(sequence(rsaEncryption.der, Uint8Array.of(0x05, 0x00)), bitString(key)), 'staking: invalid RSA public key');
}

/** The curve is P-256 whatever the certificate says of it: so the peer reads it. */
const ecKey = (point: Uint8Array): KeyObject => {
  const refusal = 'staking: failed to unmarshal elliptic curve point';
  if (point.length !== 65 || point[0] !== 4) throw badKey(refusal);
  return publicKey(sequence(sequence(ecPublicKey.der, p256.der), bitString(point)), refusal);
};

function publicKey(spki: Uint8Array, refusal: string): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch {
    throw badKey(refusal);
  }
}

/** A minimal two's-complement integer. */
function readInteger(reader: DerReader): bigint | undefined {
  const bytes = reader.take(derTag.integer);
  const first = bytes?.[0];
  if (bytes === undefined || first === undefined) return undefined;
  const second = bytes[1];
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) return undefined;
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return first < 0x80 ? value : value - (1n << BigInt(8 * bytes.length));
}

export type CertificateFault =
  | { code: 'CERTIFICATE_TOO_LARGE' }
  | { code: 'CERTIFICATE_MALFORMED'; part: string }
  | { code: 'CERTIFICATE_UNKNOWN_ALGORITHM' }
  | { code: 'CERTIFICATE_BAD_KEY' };
export class CertificateError extends Fault<CertificateFault> {}

const malformed = (part: string) => new CertificateError(`staking: malformed ${part}`, { code: 'CERTIFICATE_MALFORMED', part });
const badKey = (text: string) => new CertificateError(text, { code: 'CERTIFICATE_BAD_KEY' });

function need(bytes: Uint8Array | undefined, part: string): Uint8Array {
  if (bytes === undefined) throw malformed(part);
  return bytes;
}

function keyNeed<T>(value: T | undefined, part: string): T {
  if (value === undefined) throw badKey(`staking: invalid RSA ${part}`);
  return value;
}
