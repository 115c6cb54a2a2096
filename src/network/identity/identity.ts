import type { KeyObject } from 'node:crypto';
import { cb58Encode } from '../../base/bytes/cb58.ts';
import { hash160 } from '../../base/bytes/hash.ts';
import type { BlsSigner } from './bls.ts';
import { type KeyEnv, loadKeyPair, loadSigner, type SignerOptions, type TlsOptions } from './load-keys.ts';

/** The node's TLS certificate, whose hash is the node ID, and its BLS key. */
export type Identity = {
  readonly nodeID: string;
  readonly certificate: Uint8Array;
  readonly privateKey: KeyObject;
  readonly signer: BlsSigner;
};

/** The values of the `--staking-*` flags. Without a data directory, keys that no flag provides are ephemeral. */
export type IdentityOptions = TlsOptions & SignerOptions & { readonly dataDir?: string | undefined };

export function loadIdentity(options: IdentityOptions, env: KeyEnv): Identity {
  const folder = options.dataDir === undefined ? undefined : `${options.dataDir}/staking`;
  const pair = loadKeyPair(options, folder, env);
  const signer = loadSigner(options, folder, env);
  return { nodeID: nodeIdOf(pair.certificate), ...pair, signer };
}

/** AvalancheGo: ids/node_id.go, NodeIDFromCert. */
export const nodeIdOf = (certificate: Uint8Array): string => `NodeID-${cb58Encode(hash160(certificate))}`;
