import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { civil } from '../bytes/rfc3339.ts';
import { bitString, explicit, generalizedTime, objectId, octetString, sequence, smallInteger, trueValue, utcTime } from './der.ts';
import { pemEncode } from './pem.ts';

/** A TLS certificate and its private key, as kept in staker.crt and staker.key. */
export type KeyPair = { certificate: Uint8Array; privateKey: KeyObject };

/** A fresh pair as the peer makes it: ECDSA on P-256, self-signed, nameless, good for a hundred years. Peer: staking/tls.go. */
export function newKeyPair(unixSeconds: bigint): KeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const body = certificateBody(publicKey, unixSeconds);
  const signature = sign('sha256', body, privateKey);
  return { certificate: sequence(body, ecdsaWithSha256, bitString(signature)), privateKey };
}

/** What is signed. It holds no secret and no randomness, so a test can rebuild the peer's to the byte. */
export function certificateBody(spki: Uint8Array, unixSeconds: bigint): Uint8Array {
  const nobody = sequence();
  return sequence(
    explicit(0, smallInteger(2)),
    smallInteger(0),
    ecdsaWithSha256,
    nobody,
    // Day 0 of January 2000 is the last day of 1999, also in the peer.
    sequence(utcTime('991231000000Z'), generalizedTime(aCenturyAfter(unixSeconds))),
    nobody,
    spki,
    explicit(3, sequence(digitalSignatureOnly, notAnAuthority)),
  );
}

export const certificatePem = (pair: KeyPair): string => pemEncode('CERTIFICATE', pair.certificate);

export const privateKeyPem = (pair: KeyPair): string => pemEncode('PRIVATE KEY', pair.privateKey.export({ type: 'pkcs8', format: 'der' }));

/** A private key from any of the PEM forms that TLS keys come in (PKCS #8, PKCS #1, SEC 1); undefined if it is none. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));

/** KeyUsage, critical: the first bit alone. */
const digitalSignatureOnly = sequence(objectId('2.5.29.15'), trueValue, octetString(bitString(Uint8Array.of(0x80), 7)));

/** BasicConstraints, critical and empty. */
const notAnAuthority = sequence(objectId('2.5.29.19'), trueValue, octetString(sequence()));

/** The same day and time, a hundred years on; a 29th of February that is not there is the 1st of March, as in Go's AddDate. */
function aCenturyAfter(unixSeconds: bigint): string {
  const now = civil(unixSeconds);
  const year = now.year + 100;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const [month, day] = now.month === 2 && now.day === 29 && !isLeap ? [3, 1] : [now.month, now.day];
  const two = (value: number) => value.toString().padStart(2, '0');
  return `${year}${two(month)}${two(day)}${two(now.hour)}${two(now.minute)}${two(now.second)}Z`;
}
