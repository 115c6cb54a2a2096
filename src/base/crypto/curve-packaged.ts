import type secp256k1 from 'secp256k1';

let loaded: typeof secp256k1 | undefined;

/**
 * The package `secp256k1`: libsecp256k1 of 2019, or JavaScript where no native library can be built. Loaded at the first use, which takes 15 ms of
 * CPU: a command that asks a running node, a reader process and a node that only starts need none.
 */
export const packagedCurve = (): typeof secp256k1 => {
  loaded ??= require('secp256k1') as typeof secp256k1;
  return loaded;
};
