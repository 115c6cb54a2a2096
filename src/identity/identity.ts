import type { KeyObject } from 'node:crypto';
import { cb58Encode } from '../bytes/cb58.ts';
import { hash160 } from '../bytes/hash.ts';
import type { BlsSigner } from './bls.ts';
import type { Files } from './key-source.ts';
import { loadKeyPair, type TlsOptions } from './load-key-pair.ts';
import { loadSigner, type SignerOptions } from './load-signer.ts';

/** Who this node is to others: a TLS certificate, whose hash is the node ID, and a BLS key. */
export type Identity = {
  readonly nodeID: string;
  readonly certificate: Uint8Array;
  readonly privateKey: KeyObject;
  readonly signer: BlsSigner;
};

/** What the flags said, under the peer's names for them. Without a data directory, all that is not given is ephemeral. */
export type IdentityOptions = TlsOptions & SignerOptions & { readonly dataDir?: string | undefined };

export type IdentityEnv = {
  readonly files: Files;
  readonly unixSeconds: () => bigint;
  readonly random: (length: number) => Uint8Array;
};

export function loadIdentity(options: IdentityOptions, env: IdentityEnv): Identity {
  const folder = options.dataDir === undefined ? undefined : `${options.dataDir}/staking`;
  const pair = loadKeyPair(options, folder, env);
  const signer = loadSigner(options, folder, env);
  return { nodeID: nodeIdOf(pair.certificate), ...pair, signer };
}

/** Peer: ids/node_id.go, NodeIDFromCert. */
export const nodeIdOf = (certificate: Uint8Array): string => `NodeID-${cb58Encode(hash160(certificate))}`;
