import { BlsError, type BlsSigner, blsSigner, newSecret } from './bls.ts';
import { type Files, fromBase64, fromFile, type Given, IdentityError, keep, keySources, readIfThere, unusable } from './key-source.ts';

/** The peer's flags `--staking-signer-key-*` and `--staking-ephemeral-signer-enabled`. */
export type SignerOptions = {
  readonly signerKeyFile?: string | undefined;
  readonly signerKeyContent?: string | undefined;
  readonly ephemeralSigner?: boolean | undefined;
};

type Env = { readonly files: Files; readonly random: (length: number) => Uint8Array };

/** At most one way to name it; a kept one is made if it is missing, a named one is not. Peer: config.go, getStakingSignerConfig. */
export function loadSigner(options: SignerOptions, folder: string | undefined, env: Env): BlsSigner {
  refuseTwoWays(options);
  if (options.signerKeyContent !== undefined) return readSigner(fromBase64(keySources.signer, options.signerKeyContent));
  if (options.signerKeyFile !== undefined) return readSigner(fromFile(env.files, keySources.signer, options.signerKeyFile));
  if (options.ephemeralSigner || folder === undefined) return blsSigner(newSecret(env.random));
  const path = `${folder}/signer.key`;
  if (readIfThere(env.files, keySources.signer, path) === undefined) keep(env.files, keySources.signer, path, newSecret(env.random));
  return readSigner(fromFile(env.files, keySources.signer, path));
}

function refuseTwoWays({ signerKeyFile, signerKeyContent, ephemeralSigner }: SignerOptions): void {
  const ways: readonly (readonly [string, boolean])[] = [
    ['--staking-ephemeral-signer-enabled', ephemeralSigner === true],
    [keySources.signer.content, signerKeyContent !== undefined],
    [keySources.signer.file, signerKeyFile !== undefined],
  ];
  const flags = ways.filter(([, isSet]) => isSet).map(([flag]) => flag);
  if (flags.length > 1)
    throw new IdentityError(`only one of the following flags can be set: ${flags.join(', ')}`, { code: 'IDENTITY_FLAGS_CLASH', flags });
}

function readSigner(secret: Given): BlsSigner {
  try {
    return blsSigner(secret.bytes);
  } catch (cause) {
    if (cause instanceof BlsError) throw unusable(keySources.signer, secret.origin, `${cause.message} (32 raw bytes are wanted)`);
    throw cause;
  }
}
