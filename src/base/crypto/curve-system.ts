import { bunFfi, fileSystem } from '../bytes/runtime-modules.ts';
import type { RecoverKey } from './recover.ts';

/** The functions of libsecp256k1 that recovery needs. Their signatures are the same in all its releases. */
const functions = {
  secp256k1_context_create: { args: ['u32'], returns: 'ptr' },
  secp256k1_ecdsa_recoverable_signature_parse_compact: { args: ['ptr', 'buffer', 'buffer', 'i32'], returns: 'i32' },
  secp256k1_ecdsa_recover: { args: ['ptr', 'buffer', 'buffer', 'buffer'], returns: 'i32' },
  secp256k1_ec_pubkey_serialize: { args: ['ptr', 'buffer', 'buffer', 'buffer', 'u32'], returns: 'i32' },
} as const;

/** SECP256K1_CONTEXT_VERIFY and SECP256K1_EC_COMPRESSED. */
const contextFlags = 0x101;
const compressedFlags = 0x102;

/** Lengths that the library expects: it reads so many bytes, whatever it is given. */
const hashLength = 32;
const signatureLength = 64;
const compressedLength = 33;
/** Lengths of its own forms of a recoverable signature and of a public key. */
const parsedSignatureLength = 65;
const parsedKeyLength = 64;

/**
 * Opens the libsecp256k1 that is installed on this system, which is newer and faster than that of the npm package `secp256k1`. Returns key recovery by
 * the first of the files in `paths` that can be loaded. Returns undefined if none can, and on Node, which cannot call a library: then `recoverNative`
 * (curve-native.ts), the caller, uses the package. Tests name other paths.
 */
export function openSystemCurve(paths: readonly string[] = systemLibraries()): RecoverKey | undefined {
  const ffi = bunFfi();
  if (ffi === undefined) return undefined;
  for (const path of paths) {
    try {
      return createRecovery(ffi.dlopen(path, functions).symbols);
    } catch {
      // Not a library, for another processor, or built without recovery.
    }
  }
  return undefined;
}

type Library = ReturnType<typeof import('bun:ffi').dlopen<typeof functions>>['symbols'];

function createRecovery(library: Library): RecoverKey | undefined {
  const context = library.secp256k1_context_create(contextFlags);
  // Only without memory, so another file would not help.
  if (context === null) return undefined;
  const parsedSignature = new Uint8Array(parsedSignatureLength);
  const parsedKey = new Uint8Array(parsedKeyLength);
  const length = new BigUint64Array(1);
  return (hash, signature, recoveryID) => {
    // The library ends the process if a recovery ID is not 0 to 3.
    if (hash.length !== hashLength || signature.length !== signatureLength || (recoveryID & 3) !== recoveryID) return undefined;
    if (library.secp256k1_ecdsa_recoverable_signature_parse_compact(context, parsedSignature, signature, recoveryID) !== 1)
      return undefined;
    if (library.secp256k1_ecdsa_recover(context, parsedKey, parsedSignature, hash) !== 1) return undefined;
    const key = new Uint8Array(compressedLength);
    length[0] = BigInt(compressedLength);
    library.secp256k1_ec_pubkey_serialize(context, key, length, parsedKey, compressedFlags);
    return key;
  };
}

/**
 * The files of libsecp256k1 that this system has, newest version first. Only absolute paths: Bun would look for a bare name in the current
 * folder too.
 */
function systemLibraries(): string[] {
  const files = libraryVersions.flatMap((version) => [
    ...linuxFolders.map((folder) => `${folder}/libsecp256k1.so.${version}`),
    ...macosFolders.map((folder) => `${folder}/libsecp256k1.${version}.dylib`),
  ]);
  return files.filter((file) => fileSystem().existsSync(file));
}

/**
 * Versions in file names of the library, which are not those of its releases. Version 0 is
 * left out: it is from before the first release, and no faster than the library in the npm package.
 */
const libraryVersions = [6, 5, 2, 1];
const linuxFolders = ['/usr/local/lib', '/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib'];
const macosFolders = ['/opt/homebrew/lib', '/usr/local/lib'];
