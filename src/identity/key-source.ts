import { Fault } from '../fault.ts';

/** The little of a file system that keeping keys takes. */
export type Files = {
  /** undefined: there is no such file. */
  read(path: string): Uint8Array | undefined;
  /** All of it or nothing, readable by the owner alone, in a directory that is the owner's alone. */
  writePrivate(path: string, bytes: Uint8Array): void;
};

/** A thing the node can be given: what to call it, and by which flags. */
export type KeySource = { readonly noun: string; readonly file: string; readonly content: string };

export const keySources = {
  certificate: { noun: 'staking certificate', file: '--staking-tls-cert-file', content: '--staking-tls-cert-file-content' },
  key: { noun: 'staking key', file: '--staking-tls-key-file', content: '--staking-tls-key-file-content' },
  signer: { noun: 'signer key', file: '--staking-signer-key-file', content: '--staking-signer-key-file-content' },
} as const satisfies Record<string, KeySource>;

/** Its bytes, and where they came from: a path or a flag, to be named if they are no good. */
export type Given = { readonly bytes: Uint8Array; readonly origin: string };

export function fromFile(files: Files, gift: KeySource, path: string): Given {
  const bytes = readIfThere(files, gift, path);
  if (bytes !== undefined) return { bytes, origin: path };
  throw new IdentityError(`couldn't find ${gift.noun} at ${path}: put it there, or name another file with ${gift.file}`, {
    code: 'IDENTITY_FILE_MISSING',
    path,
    flag: gift.file,
  });
}

export function fromBase64(gift: KeySource, content: string): Given {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(content) && content.length % 4 === 0 && content.length > 0)
    return { bytes: Buffer.from(content, 'base64'), origin: gift.content };
  throw new IdentityError(`unable to decode base64 content of ${gift.content}: give the whole file in standard base64, with its padding`, {
    code: 'IDENTITY_BAD_BASE64',
    flag: gift.content,
  });
}

export function readIfThere(files: Files, gift: KeySource, path: string): Uint8Array | undefined {
  try {
    return files.read(path);
  } catch (cause) {
    throw fileFault('read', gift, path, cause);
  }
}

export function keep(files: Files, gift: KeySource, path: string, bytes: Uint8Array): void {
  try {
    files.writePrivate(path, bytes);
  } catch (cause) {
    throw fileFault('write', gift, path, cause);
  }
}

export const unusable = (gift: KeySource, origin: string, why: string): IdentityError =>
  new IdentityError(`couldn't read ${gift.noun} from ${origin}: ${why}; name a good one with ${gift.file}`, {
    code: 'IDENTITY_UNUSABLE',
    flag: gift.file,
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

function fileFault(verb: 'read' | 'write', gift: KeySource, path: string, cause: unknown): IdentityError {
  const why = (cause as { message?: string } | null)?.message ?? String(cause);
  return new IdentityError(`couldn't ${verb} ${gift.noun} at ${path}: ${why}; mind its rights, or name another file with ${gift.file}`, {
    code: 'IDENTITY_FILE_REFUSED',
    path,
    flag: gift.file,
  });
}
