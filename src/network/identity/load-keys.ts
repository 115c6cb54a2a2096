import { createPublicKey, type KeyObject } from 'node:crypto';
import { BlsError, type BlsSigner, blsSigner, newSecret } from './bls.ts';
import { certificatePem, type KeyPair, newKeyPair, privateKeyPem, readPrivateKey } from './certificate.ts';
import {
  decodeKeyContent,
  IdentityError,
  type KeyBytes,
  type KeyFiles,
  keySources,
  readIfExists,
  readKeyFile,
  unusableKey,
  writeKeyFile,
} from './key-source.ts';
import { pemDecode } from './pem.ts';
import { CertificateError, certificatePublicKey } from './staking-certificate.ts';

/** Values of AvalancheGo's flags `--staking-tls-*` and `--staking-ephemeral-cert-enabled`. */
export type TlsOptions = {
  readonly tlsCertFile?: string | undefined;
  readonly tlsKeyFile?: string | undefined;
  readonly tlsCertContent?: string | undefined;
  readonly tlsKeyContent?: string | undefined;
  readonly ephemeralCert?: boolean | undefined;
};

export type KeyEnv = { readonly files: KeyFiles; readonly unixSeconds: () => bigint; readonly random: (length: number) => Uint8Array };

/** Loads the key pair, in this order: ephemeral, from contents, from files. Files that no flag names are created. AvalancheGo: config.go, getStakingTLSCert. */
export function loadKeyPair(options: TlsOptions, folder: string | undefined, env: KeyEnv): KeyPair {
  if (options.ephemeralCert) return newKeyPair(env.unixSeconds());
  const { tlsCertFile, tlsKeyFile, tlsCertContent, tlsKeyContent } = options;
  if (tlsCertContent !== undefined || tlsKeyContent !== undefined) {
    if (tlsCertContent === undefined) throw missingFlag(keySources.certificate.content, keySources.key.content);
    if (tlsKeyContent === undefined) throw missingFlag(keySources.key.content, keySources.certificate.content);
    return readKeyPair(decodeKeyContent(keySources.certificate, tlsCertContent), decodeKeyContent(keySources.key, tlsKeyContent));
  }
  const isFileNamed = tlsCertFile !== undefined || tlsKeyFile !== undefined;
  if (!isFileNamed && folder === undefined) return newKeyPair(env.unixSeconds());
  const stored = folder === undefined ? undefined : { cert: `${folder}/staker.crt`, key: `${folder}/staker.key` };
  if (!isFileNamed && stored) createIfMissing(stored, env);
  const certPath = tlsCertFile ?? stored?.cert;
  const keyPath = tlsKeyFile ?? stored?.key;
  if (certPath === undefined) throw missingFlag(keySources.certificate.file, keySources.key.file);
  if (keyPath === undefined) throw missingFlag(keySources.key.file, keySources.certificate.file);
  return readKeyPair(readKeyFile(env.files, keySources.certificate, certPath), readKeyFile(env.files, keySources.key, keyPath));
}

/** Creates a key pair unless the key file exists. The key is written last, so after a crash between the two files both are created again. AvalancheGo: staking/tls.go. */
function createIfMissing(paths: { cert: string; key: string }, env: KeyEnv): void {
  if (readIfExists(env.files, keySources.key, paths.key) !== undefined) return;
  const pair = newKeyPair(env.unixSeconds());
  writeKeyFile(env.files, keySources.certificate, paths.cert, Buffer.from(certificatePem(pair)));
  writeKeyFile(env.files, keySources.key, paths.key, Buffer.from(privateKeyPem(pair)));
}

function readKeyPair(cert: KeyBytes, key: KeyBytes): KeyPair {
  const certificate = pemDecode('CERTIFICATE', textOf(cert));
  if (certificate === undefined) throw unusableKey(keySources.certificate, cert.origin, 'it has no PEM block of type CERTIFICATE');
  const publicKey = publicKeyOf(certificate, cert.origin);
  const privateKey = readPrivateKey(textOf(key));
  if (privateKey === undefined) throw unusableKey(keySources.key, key.origin, 'it has no private key in PEM format');
  if (createPublicKey(privateKey).equals(publicKey)) return { certificate, privateKey };
  const remedy = `provide a matching pair with ${keySources.certificate.file} and ${keySources.key.file}`;
  throw new IdentityError(`staking key (${key.origin}) and staking certificate (${cert.origin}) do not match: ${remedy}`, {
    code: 'IDENTITY_KEYS_DIFFER',
  });
}

function publicKeyOf(certificate: Uint8Array, origin: string): KeyObject {
  try {
    return certificatePublicKey(certificate);
  } catch (cause) {
    if (cause instanceof CertificateError) throw unusableKey(keySources.certificate, origin, cause.message);
    throw cause;
  }
}

const textOf = (file: KeyBytes): string => Buffer.from(file.bytes).toString('latin1');

const missingFlag = (flag: string, other: string) =>
  new IdentityError(`${flag} is not set but ${other} is: set both or neither`, {
    code: 'IDENTITY_FLAG_MISSING',
    flag,
  });

/** Values of AvalancheGo's flags `--staking-signer-key-*` and `--staking-ephemeral-signer-enabled`. */
export type SignerOptions = {
  readonly signerKeyFile?: string | undefined;
  readonly signerKeyContent?: string | undefined;
  readonly ephemeralSigner?: boolean | undefined;
};

/** Loads the BLS key. At most one flag may provide it. The file in the data directory is created if missing; one named by a flag is not. AvalancheGo: config.go, getStakingSignerConfig. */
export function loadSigner(options: SignerOptions, folder: string | undefined, env: KeyEnv): BlsSigner {
  checkOneFlag(options);
  if (options.signerKeyContent !== undefined) return readSigner(decodeKeyContent(keySources.signer, options.signerKeyContent));
  if (options.signerKeyFile !== undefined) return readSigner(readKeyFile(env.files, keySources.signer, options.signerKeyFile));
  if (options.ephemeralSigner || folder === undefined) return blsSigner(newSecret(env.random));
  const path = `${folder}/signer.key`;
  if (readIfExists(env.files, keySources.signer, path) === undefined)
    writeKeyFile(env.files, keySources.signer, path, newSecret(env.random));
  return readSigner(readKeyFile(env.files, keySources.signer, path));
}

function checkOneFlag({ signerKeyFile, signerKeyContent, ephemeralSigner }: SignerOptions): void {
  const options: readonly (readonly [string, boolean])[] = [
    ['--staking-ephemeral-signer-enabled', ephemeralSigner === true],
    [keySources.signer.content, signerKeyContent !== undefined],
    [keySources.signer.file, signerKeyFile !== undefined],
  ];
  const flags = options.filter(([, isSet]) => isSet).map(([flag]) => flag);
  if (flags.length > 1)
    throw new IdentityError(`only one of the following flags can be set: ${flags.join(', ')}`, { code: 'IDENTITY_FLAGS_CLASH', flags });
}

function readSigner(secret: KeyBytes): BlsSigner {
  try {
    return blsSigner(secret.bytes);
  } catch (cause) {
    if (cause instanceof BlsError) throw unusableKey(keySources.signer, secret.origin, `${cause.message} (must be 32 raw bytes)`);
    throw cause;
  }
}
