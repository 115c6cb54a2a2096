import { BlsError, type BlsSigner, blsSigner, newSecret } from './bls.ts';
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

/** Values of AvalancheGo's flags `--staking-signer-key-*` and `--staking-ephemeral-signer-enabled`. */
export type SignerOptions = {
  readonly signerKeyFile?: string | undefined;
  readonly signerKeyContent?: string | undefined;
  readonly ephemeralSigner?: boolean | undefined;
};

type Env = { readonly files: KeyFiles; readonly random: (length: number) => Uint8Array };

/** Loads the BLS key. At most one flag may provide it. The file in the data directory is created if missing; one named by a flag is not. AvalancheGo: config.go, getStakingSignerConfig. */
export function loadSigner(options: SignerOptions, folder: string | undefined, env: Env): BlsSigner {
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
