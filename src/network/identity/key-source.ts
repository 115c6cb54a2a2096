import { Fault } from '../../base/fault.ts';

/** The file operations for keys. */
export type KeyFiles = {
  /** Returns undefined if the file does not exist. */
  read(path: string): Uint8Array | undefined;
  /** Writes atomically; only the owner may access the file and its directory. */
  writePrivate(path: string, bytes: Uint8Array): void;
};

/** A key or certificate that flags can provide: its name in messages, and the flags. */
type KeySource = { readonly noun: string; readonly file: string; readonly content: string };

export const keySources = {
  certificate: { noun: 'staking certificate', file: '--staking-tls-cert-file', content: '--staking-tls-cert-file-content' },
  key: { noun: 'staking key', file: '--staking-tls-key-file', content: '--staking-tls-key-file-content' },
  signer: { noun: 'signer key', file: '--staking-signer-key-file', content: '--staking-signer-key-file-content' },
} as const satisfies Record<string, KeySource>;

/** The bytes of a key or certificate, and their origin (a path or a flag) for messages. */
export type KeyBytes = { readonly bytes: Uint8Array; readonly origin: string };

export function readKeyFile(files: KeyFiles, source: KeySource, path: string): KeyBytes {
  const bytes = readIfExists(files, source, path);
  if (bytes !== undefined) return { bytes, origin: path };
  throw new IdentityError(`couldn't find ${source.noun} at ${path}: create the file or name another with ${source.file}`, {
    code: 'IDENTITY_FILE_MISSING',
    path,
    flag: source.file,
  });
}

export function decodeKeyContent(source: KeySource, content: string): KeyBytes {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(content) && content.length % 4 === 0 && content.length > 0)
    return { bytes: Buffer.from(content, 'base64'), origin: source.content };
  throw new IdentityError(`unable to decode base64 content of ${source.content}: provide the whole file in standard base64, with padding`, {
    code: 'IDENTITY_BAD_BASE64',
    flag: source.content,
  });
}

export function readIfExists(files: KeyFiles, source: KeySource, path: string): Uint8Array | undefined {
  try {
    return files.read(path);
  } catch (cause) {
    throw fileError('read', source, path, cause);
  }
}

export function writeKeyFile(files: KeyFiles, source: KeySource, path: string, bytes: Uint8Array): void {
  try {
    files.writePrivate(path, bytes);
  } catch (cause) {
    throw fileError('write', source, path, cause);
  }
}

export const unusableKey = (source: KeySource, origin: string, why: string): IdentityError =>
  new IdentityError(`couldn't read ${source.noun} from ${origin}: ${why}; provide a valid one with ${source.file}`, {
    code: 'IDENTITY_UNUSABLE',
    flag: source.file,
  });

export type IdentityFault =
  | { code: 'IDENTITY_FILE_MISSING'; path: string; flag: string }
  | { code: 'IDENTITY_FILE_REFUSED'; path: string; flag: string }
  | { code: 'IDENTITY_BAD_BASE64'; flag: string }
  | { code: 'IDENTITY_UNUSABLE'; flag: string }
  | { code: 'IDENTITY_FLAG_MISSING'; flag: string }
  | { code: 'IDENTITY_FLAGS_CLASH'; flags: readonly string[] }
  | { code: 'IDENTITY_KEYS_DIFFER' };
export class IdentityError extends Fault<IdentityFault> {}

function fileError(verb: 'read' | 'write', source: KeySource, path: string, cause: unknown): IdentityError {
  const why = (cause as { message?: string } | null)?.message ?? String(cause);
  return new IdentityError(
    `couldn't ${verb} ${source.noun} at ${path}: ${why}; check its permissions or name another file with ${source.file}`,
    {
      code: 'IDENTITY_FILE_REFUSED',
      path,
      flag: source.file,
    },
  );
}
