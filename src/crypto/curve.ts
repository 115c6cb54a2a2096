/** The one thing the node needs of secp256k1: a compressed public key from a 64-byte signature, its recovery id and the hash. */
export type RecoverKey = (hash: Uint8Array, signature: Uint8Array, recoveryID: number) => Uint8Array | undefined;
