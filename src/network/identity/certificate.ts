import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { utcDateTime } from '../../base/bytes/rfc3339.ts';
import { attempt } from '../../base/fault.ts';
import { bitString, explicit, generalizedTime, objectId, octetString, sequence, smallInteger, trueValue, utcTime } from './der.ts';
import { pemEncode } from './pem.ts';

/** A TLS certificate and its private key, stored in staker.crt and staker.key. */
export type KeyPair = { certificate: Uint8Array; privateKey: KeyObject };

/** Creates a key pair as AvalancheGo does: ECDSA on P-256, self-signed, without names, valid for 100 years. AvalancheGo: staking/tls.go. */
export function newKeyPair(unixSeconds: bigint): KeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const body = certificateBody(publicKey, unixSeconds);
  const signature = sign('sha256', body, privateKey);
  return { certificate: sequence(body, ecdsaWithSha256, bitString(signature)), privateKey };
}

/** The signed part of a certificate. It is deterministic, so a test can compare it with AvalancheGo's byte for byte. */
export function certificateBody(spki: Uint8Array, unixSeconds: bigint): Uint8Array {
  const emptyName = sequence();
  return sequence(
    explicit(0, smallInteger(2)),
    smallInteger(0),
    ecdsaWithSha256,
    emptyName,
    // AvalancheGo passes January 0 of 2000, which is the last day of 1999.
    sequence(utcTime('991231000000Z'), generalizedTime(hundredYearsAfter(unixSeconds))),
    emptyName,
    spki,
    explicit(3, sequence(digitalSignatureOnly, notCertificateAuthority)),
  );
}

export const certificatePem = (pair: KeyPair): string => pemEncode('CERTIFICATE', pair.certificate);

export const privateKeyPem = (pair: KeyPair): string => pemEncode('PRIVATE KEY', pair.privateKey.export({ type: 'pkcs8', format: 'der' }));

/** Reads a private key in PEM (PKCS #8, PKCS #1 or SEC 1). Returns undefined if it is invalid. */
export const readPrivateKey = (pem: string): KeyObject | undefined => attempt(() => createPrivateKey(pem));

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));

/** KeyUsage, critical: only the first bit. */
const digitalSignatureOnly = sequence(objectId('2.5.29.15'), trueValue, octetString(bitString(Uint8Array.of(0x80), 7)));

/** BasicConstraints, critical and empty. */
const notCertificateAuthority = sequence(objectId('2.5.29.19'), trueValue, octetString(sequence()));

/** The same day and time 100 years later. February 29 becomes March 1 if that year is not a leap year, as in Go's AddDate. */
function hundredYearsAfter(unixSeconds: bigint): string {
  const now = utcDateTime(unixSeconds);
  const year = now.year + 100;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const [month, day] = now.month === 2 && now.day === 29 && !isLeap ? [3, 1] : [now.month, now.day];
  const two = (value: number) => value.toString().padStart(2, '0');
  return `${year}${two(month)}${two(day)}${two(now.hour)}${two(now.minute)}${two(now.second)}Z`;
}
