import { expect, test } from 'bun:test';
import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import vectors from '../../vectors/identity.json';
import { toHex } from '../bytes/hex.ts';
import { certificateBody, certificatePem, newKeyPair, privateKeyPem, readPrivateKey } from './certificate.ts';
import { derTag, readDer } from './der-reader.ts';
import { nodeIdOf } from './identity.ts';
import { certificatePublicKey } from './parse-certificate.ts';
import { pemDecode } from './pem.ts';

const peers = Buffer.from(vectors.ecdsa.certificateDER.slice(2), 'hex');
const noon = 1_794_744_000n;

test('the node ID is the hash of the certificate: an ECDSA one and the five RSA ones of the local network', () => {
  expect(nodeIdOf(peers)).toBe(vectors.ecdsa.nodeID);
  for (const staker of vectors.localStakers) {
    const certificate = pemDecode('CERTIFICATE', staker.certificatePem)!;
    expect(nodeIdOf(certificate)).toBe(staker.nodeID);
    expect(certificatePublicKey(certificate).asymmetricKeyType).toBe('rsa');
  }
});

test("our certificate body is the peer's to the byte, for the peer's key and time", () => {
  const body = readDer(readDer(peers).take(derTag.sequence)!).take(derTag.sequence)!;
  const spki = certificatePublicKey(peers).export({ type: 'spki', format: 'der' });
  // 2026-11-15T00:55:58Z, a hundred years before what the certificate says.
  expect(toHex(certificateBody(spki, 1_794_704_158n))).toBe(`3081${body.length.toString(16)}${toHex(body)}`);
});

test('a certificate made on a leap day ends on a day that exists', () => {
  const spki = certificatePublicKey(peers).export({ type: 'spki', format: 'der' });
  const leapDay2000 = 951_782_400n;
  expect(Buffer.from(certificateBody(spki, leapDay2000)).toString('latin1')).toContain('21000301000000Z');
});

test('a fresh pair is self-signed, reads back from its PEM forms, and is another each time', () => {
  const pair = newKeyPair(noon);
  const shown = new X509Certificate(certificatePem(pair));
  expect(shown.verify(createPublicKey(pair.privateKey))).toBe(true);
  expect(shown.checkPrivateKey(pair.privateKey)).toBe(true);
  expect(shown.validTo).toContain('2126');
  const key = readPrivateKey(privateKeyPem(pair))!;
  const publicKey = certificatePublicKey(pemDecode('CERTIFICATE', certificatePem(pair))!);
  expect(createPublicKey(key).equals(publicKey)).toBe(true);
  expect(nodeIdOf(newKeyPair(noon).certificate)).not.toBe(nodeIdOf(pair.certificate));
});

test("the signature of the peer's own certificate verifies with the key we read from it", () => {
  const whole = readDer(readDer(peers).take(derTag.sequence)!);
  const content = whole.take(derTag.sequence)!;
  whole.skip(derTag.sequence);
  const signature = whole.take(derTag.bitString)!.subarray(1);
  const body = peers.subarray(4, 4 + 3 + content.length);
  expect(verify('sha256', body, certificatePublicKey(peers), signature)).toBe(true);
});

test('what is no certificate is refused with the name of the part', () => {
  const code = (bytes: Uint8Array) => {
    try {
      certificatePublicKey(bytes);
      return 'accepted';
    } catch (cause) {
      return (cause as Error).message;
    }
  };
  expect(code(new Uint8Array(0))).toBe('staking: malformed certificate');
  expect(code(new Uint8Array(2049))).toBe('staking: certificate length is greater than 2048');
  expect(code(Uint8Array.of(0x30, 0x02, 0x30, 0x00))).toBe('staking: malformed serial number');
  expect(code(peers.subarray(0, 100))).toBe('staking: malformed certificate');
  const offCurve = Buffer.from(peers);
  offCurve[offCurve.indexOf('0342000468af', 0, 'hex') + 40]! ^= 1;
  expect(code(offCurve)).toBe('staking: failed to unmarshal elliptic curve point');
  const unknown = Buffer.from(peers);
  unknown[unknown.indexOf('06072a8648ce3d0201', 0, 'hex') + 8]! ^= 2;
  expect(code(unknown)).toBe('staking: unknown public key algorithm');
});

test('no mutation of a certificate does more than be refused', () => {
  for (let at = 0; at < peers.length; at++) {
    for (const bit of [1, 0x80]) {
      const bytes = Buffer.from(peers);
      bytes[at]! ^= bit;
      try {
        certificatePublicKey(bytes);
      } catch (cause) {
        expect((cause as Error).name).toBe('CertificateError');
      }
    }
  }
});
