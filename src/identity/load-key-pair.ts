import { createPublicKey, type KeyObject } from 'node:crypto';
import { certificatePem, type KeyPair, newKeyPair, privateKeyPem, readPrivateKey } from './certificate.ts';
import { type Files, fromBase64, fromFile, type Given, IdentityError, keep, keySources, readIfThere, unusable } from './key-source.ts';
import { CertificateError, certificatePublicKey } from './parse-certificate.ts';
import { pemDecode } from './pem.ts';

/** The peer's flags `--staking-tls-*` and `--staking-ephemeral-cert-enabled`. */
export type TlsOptions = {
  readonly tlsCertFile?: string | undefined;
  readonly tlsKeyFile?: string | undefined;
  readonly tlsCertContent?: string | undefined;
  readonly tlsKeyContent?: string | undefined;
  readonly ephemeralCert?: boolean | undefined;
};

type Env = { readonly files: Files; readonly unixSeconds: () => bigint };

/** In the peer's order: ephemeral, then contents, then files, which are made if no flag names them. Peer: config.go, getStakingTLSCert. */
export function loadKeyPair(options: TlsOptions, folder: string | undefined, env: Env): KeyPair {
  if (options.ephemeralCert) return newKeyPair(env.unixSeconds());
  const { tlsCertFile, tlsKeyFile, tlsCertContent, tlsKeyContent } = options;
  if (tlsCertContent !== undefined || tlsKeyContent !== undefined) {
    if (tlsCertContent === undefined) throw missing(keySources.certificate.content, keySources.key.content);
    if (tlsKeyContent === undefined) throw missing(keySources.key.content, keySources.certificate.content);
    return readKeyPair(fromBase64(keySources.certificate, tlsCertContent), fromBase64(keySources.key, tlsKeyContent));
  }
  const isGiven = tlsCertFile !== undefined || tlsKeyFile !== undefined;
  if (!isGiven && folder === undefined) return newKeyPair(env.unixSeconds());
  const kept = folder === undefined ? undefined : { cert: `${folder}/staker.crt`, key: `${folder}/staker.key` };
  if (!isGiven && kept) makeIfMissing(kept, env);
  const certPath = tlsCertFile ?? kept?.cert;
  const keyPath = tlsKeyFile ?? kept?.key;
  if (certPath === undefined) throw missing(keySources.certificate.file, keySources.key.file);
  if (keyPath === undefined) throw missing(keySources.key.file, keySources.certificate.file);
  return readKeyPair(fromFile(env.files, keySources.certificate, certPath), fromFile(env.files, keySources.key, keyPath));
}

/** The key is written last, and it alone says whether there is a pair: a crash between the two leaves none. Peer: staking/tls.go. */
function makeIfMissing(paths: { cert: string; key: string }, env: Env): void {
  if (readIfThere(env.files, keySources.key, paths.key) !== undefined) return;
  const pair = newKeyPair(env.unixSeconds());
  keep(env.files, keySources.certificate, paths.cert, Buffer.from(certificatePem(pair)));
  keep(env.files, keySources.key, paths.key, Buffer.from(privateKeyPem(pair)));
}

function readKeyPair(cert: Given, key: Given): KeyPair {
  const certificate = pemDecode('CERTIFICATE', textOf(cert));
  if (certificate === undefined) throw unusable(keySources.certificate, cert.origin, 'it holds no PEM block of type CERTIFICATE');
  const publicKey = publicKeyOf(certificate, cert.origin);
  const privateKey = readPrivateKey(textOf(key));
  if (privateKey === undefined) throw unusable(keySources.key, key.origin, 'it holds no private key in PEM form');
  if (createPublicKey(privateKey).equals(publicKey)) return { certificate, privateKey };
  const remedy = `give the two that were made together with ${keySources.certificate.file} and ${keySources.key.file}`;
  throw new IdentityError(`staking key (${key.origin}) and staking certificate (${cert.origin}) do not match: ${remedy}`, {
    code: 'IDENTITY_KEYS_DIFFER',
  });
}

function publicKeyOf(certificate: Uint8Array, origin: string): KeyObject {
  try {
    return certificatePublicKey(certificate);
  } catch (cause) {
    if (cause instanceof CertificateError) throw unusable(keySources.certificate, origin, cause.message);
    throw cause;
  }
}

const textOf = (given: Given): string => Buffer.from(given.bytes).toString('latin1');

const missing = (flag: string, other: string) =>
  new IdentityError(`${flag} is not set but ${other} is: a certificate and its key come together, set both or neither`, {
    code: 'IDENTITY_FLAG_MISSING',
    flag,
  });
