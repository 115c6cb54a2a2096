import { expect, test } from 'bun:test';
import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import vectors from '../../../vectors/identity.json';
import { toHex } from '../../base/bytes/hex.ts';
import { certificateBody, certificatePem, newKeyPair, privateKeyPem, readPrivateKey } from './certificate.ts';
import { derTags, readDer } from './der.ts';
import { nodeIdOf } from './identity.ts';
import { pemDecode } from './pem.ts';
import { certificatePublicKey } from './staking-certificate.ts';

const avalancheGoCertificate = Buffer.from(vectors.ecdsa.certificateDER.slice(2), 'hex');
const noon = 1_794_744_000n;

test('the node ID is the hash of the certificate, for an ECDSA one and the five RSA ones of the local network', () => {
  expect(nodeIdOf(avalancheGoCertificate)).toBe(vectors.ecdsa.nodeID);
  for (const staker of vectors.localStakers) {
    const certificate = pemDecode('CERTIFICATE', staker.certificatePem)!;
    expect(nodeIdOf(certificate)).toBe(staker.nodeID);
    expect(certificatePublicKey(certificate).asymmetricKeyType).toBe('rsa');
  }
});

test("the certificate body equals AvalancheGo's byte for byte, for the same key and time", () => {
  const body = readDer(readDer(avalancheGoCertificate).take(derTags.sequence)!).take(derTags.sequence)!;
  const spki = certificatePublicKey(avalancheGoCertificate).export({ type: 'spki', format: 'der' });
  // 2026-11-15T00:55:58Z, 100 years before the certificate's end.
  expect(toHex(certificateBody(spki, 1_794_704_158n))).toBe(`3081${body.length.toString(16)}${toHex(body)}`);
});

test('a certificate created on February 29 ends on a valid date', () => {
  const spki = certificatePublicKey(avalancheGoCertificate).export({ type: 'spki', format: 'der' });
  const leapDay2000 = 951_782_400n;
  expect(Buffer.from(certificateBody(spki, leapDay2000)).toString('latin1')).toContain('21000301000000Z');
});

test('a new key pair is self-signed, can be read from PEM, and differs each time', () => {
  const pair = newKeyPair(noon);
  const certificate = new X509Certificate(certificatePem(pair));
  expect(certificate.verify(createPublicKey(pair.privateKey))).toBe(true);
  expect(certificate.checkPrivateKey(pair.privateKey)).toBe(true);
  expect(certificate.validTo).toContain('2126');
  const key = readPrivateKey(privateKeyPem(pair))!;
  const publicKey = certificatePublicKey(pemDecode('CERTIFICATE', certificatePem(pair))!);
  expect(createPublicKey(key).equals(publicKey)).toBe(true);
  expect(nodeIdOf(newKeyPair(noon).certificate)).not.toBe(nodeIdOf(pair.certificate));
});

test("the signature of AvalancheGo's certificate verifies with the key read from it", () => {
  const whole = readDer(readDer(avalancheGoCertificate).take(derTags.sequence)!);
  const content = whole.take(derTags.sequence)!;
  whole.skip(derTags.sequence);
  const signature = whole.take(derTags.bitString)!.subarray(1);
  const body = avalancheGoCertificate.subarray(4, 4 + 3 + content.length);
  expect(verify('sha256', body, certificatePublicKey(avalancheGoCertificate), signature)).toBe(true);
});

test('an invalid certificate is rejected, and the error names the part', () => {
  const messageFor = (bytes: Uint8Array) => {
    try {
      certificatePublicKey(bytes);
      return 'accepted';
    } catch (cause) {
      return (cause as Error).message;
    }
  };
  expect(messageFor(new Uint8Array(0))).toBe('staking: malformed certificate');
  expect(messageFor(new Uint8Array(2049))).toBe('staking: certificate length is greater than 2048');
  expect(messageFor(Uint8Array.of(0x30, 0x02, 0x30, 0x00))).toBe('staking: malformed serial number');
  expect(messageFor(avalancheGoCertificate.subarray(0, 100))).toBe('staking: malformed certificate');
  const offCurve = Buffer.from(avalancheGoCertificate);
  offCurve[offCurve.indexOf('0342000468af', 0, 'hex') + 40]! ^= 1;
  expect(messageFor(offCurve)).toBe('staking: failed to unmarshal elliptic curve point');
  const unknown = Buffer.from(avalancheGoCertificate);
  unknown[unknown.indexOf('06072a8648ce3d0201', 0, 'hex') + 8]! ^= 2;
  expect(messageFor(unknown)).toBe('staking: unknown public key algorithm');
});

test('a certificate with one bit changed is read or rejected with a CertificateError', () => {
  for (let at = 0; at < avalancheGoCertificate.length; at++) {
    for (const bit of [1, 0x80]) {
      const bytes = Buffer.from(avalancheGoCertificate);
      bytes[at]! ^= bit;
      try {
        certificatePublicKey(bytes);
      } catch (cause) {
        expect((cause as Error).name).toBe('CertificateError');
      }
    }
  }
});
