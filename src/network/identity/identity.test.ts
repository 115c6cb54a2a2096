import { describe, expect, test } from 'bun:test';
import vectors from '../../../vectors/identity.json';
import { formatHex, fromHex } from '../../base/bytes/hex.ts';
import { type IdentityOptions, loadIdentity } from './identity.ts';
import type { IdentityFault, KeyFiles } from './key-source.ts';
import { IdentityError } from './key-source.ts';

const staker = vectors.localStakers[0]!;
const base64 = (text: string) => Buffer.from(text).toString('base64');

function memoryFiles(): KeyFiles & { all: Map<string, Uint8Array> } {
  const all = new Map<string, Uint8Array>();
  return { all, read: (path) => all.get(path), writePrivate: (path, bytes) => void all.set(path, bytes) };
}

const env = (files: KeyFiles = memoryFiles()) => ({
  files,
  unixSeconds: () => 1_794_744_000n,
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
});

function faultOf(options: IdentityOptions, files?: KeyFiles): { fault: IdentityFault; text: string } {
  try {
    loadIdentity(options, env(files));
  } catch (cause) {
    if (cause instanceof IdentityError) return { fault: cause.fault, text: cause.message };
    throw cause;
  }
  throw new Error('no fault');
}

test('the first start creates three files, the second reads them and has the same node ID', async () => {
  const files = memoryFiles();
  const first = loadIdentity({ dataDir: '/d' }, env(files));
  expect([...files.all.keys()]).toEqual(['/d/staking/staker.crt', '/d/staking/staker.key', '/d/staking/signer.key']);
  expect(files.all.get('/d/staking/signer.key')?.length).toBe(32);
  const second = loadIdentity({ dataDir: '/d' }, env(files));
  expect(second.nodeID).toBe(first.nodeID);
  expect(await second.signer.publicKey()).toEqual(await first.signer.publicKey());
});

test('after a crash between certificate and key, the next start creates both again', () => {
  const files = memoryFiles();
  const failingFiles: KeyFiles = {
    read: files.read,
    writePrivate: (path, bytes) => {
      if (path.endsWith('staker.key')) throw new Error('power cut');
      files.writePrivate(path, bytes);
    },
  };
  expect(faultOf({ dataDir: '/d' }, failingFiles).fault.code).toBe('IDENTITY_FILE_REFUSED');
  expect([...files.all.keys()]).toEqual(['/d/staking/staker.crt']);
  const created = loadIdentity({ dataDir: '/d' }, env(files));
  expect(loadIdentity({ dataDir: '/d' }, env(files)).nodeID).toBe(created.nodeID);
});

test('without a data directory or with the ephemeral flags, no file is used and every start has another node ID', () => {
  const unusedFiles: KeyFiles = {
    read: () => expect.unreachable(),
    writePrivate: () => expect.unreachable(),
  };
  const options = { dataDir: '/d', ephemeralCert: true, ephemeralSigner: true };
  expect(loadIdentity({}, env(unusedFiles)).nodeID).not.toBe(loadIdentity({}, env(unusedFiles)).nodeID);
  expect(loadIdentity(options, env(unusedFiles)).nodeID).not.toBe(loadIdentity(options, env(unusedFiles)).nodeID);
});

describe('provided keys', () => {
  const files = memoryFiles();
  files.all.set('/k/staker.crt', Buffer.from(staker.certificatePem));
  files.all.set('/k/staker.key', Buffer.from(staker.keyPem!));
  files.all.set('/k/other.crt', Buffer.from(vectors.localStakers[1]!.certificatePem));
  files.all.set('/k/signer.key', fromHex(staker.signerKey.slice(2)));
  const tls = { tlsCertFile: '/k/staker.crt', tlsKeyFile: '/k/staker.key' };

  test("from files: the local network's first staker, an RSA certificate", async () => {
    const identity = loadIdentity({ ...tls, signerKeyFile: '/k/signer.key' }, env(files));
    expect(identity.nodeID).toBe(staker.nodeID);
    expect(formatHex('hexnc', await identity.signer.publicKey())).toBe(staker.publicKey);
  });

  test('from flag contents in base64, which take precedence over files', async () => {
    const options = {
      tlsCertFile: '/nowhere',
      tlsCertContent: base64(staker.certificatePem),
      tlsKeyContent: base64(staker.keyPem!),
      signerKeyContent: Buffer.from(staker.signerKey.slice(2), 'hex').toString('base64'),
    };
    const identity = loadIdentity(options, env(files));
    expect(identity.nodeID).toBe(staker.nodeID);
    expect(formatHex('hexnc', await identity.signer.publicKey())).toBe(staker.publicKey);
  });

  const invalidOptions: readonly [string, IdentityOptions, IdentityFault['code'], string][] = [
    ['a key of another certificate', { ...tls, tlsCertFile: '/k/other.crt' }, 'IDENTITY_KEYS_DIFFER', '--staking-tls-cert-file'],
    ['a missing file', { ...tls, tlsKeyFile: '/k/none' }, 'IDENTITY_FILE_MISSING', '--staking-tls-key-file'],
    ['a certificate file without a key file', { tlsCertFile: '/k/staker.crt' }, 'IDENTITY_FLAG_MISSING', '--staking-tls-key-file'],
    ['key content without certificate content', { tlsKeyContent: 'aaaa' }, 'IDENTITY_FLAG_MISSING', '--staking-tls-cert-file-content'],
    ['invalid base64', { tlsCertContent: '!', tlsKeyContent: 'aaaa' }, 'IDENTITY_BAD_BASE64', '--staking-tls-cert-file-content'],
    ['invalid PEM', { tlsCertContent: 'aaaa', tlsKeyContent: 'aaaa' }, 'IDENTITY_UNUSABLE', '--staking-tls-cert-file'],
    ['a key instead of the certificate', { ...tls, tlsCertFile: '/k/staker.key' }, 'IDENTITY_UNUSABLE', 'CERTIFICATE'],
    ['a certificate instead of the key', { ...tls, tlsKeyFile: '/k/staker.crt' }, 'IDENTITY_UNUSABLE', '--staking-tls-key-file'],
    ['a signer key of the wrong size', { signerKeyContent: 'aaaa' }, 'IDENTITY_UNUSABLE', '--staking-signer-key-file'],
    ['a missing signer key', { signerKeyFile: '/k/none' }, 'IDENTITY_FILE_MISSING', '--staking-signer-key-file'],
    [
      'a signer key from two flags',
      { signerKeyFile: '/k/signer.key', ephemeralSigner: true },
      'IDENTITY_FLAGS_CLASH',
      '--staking-ephemeral-signer-enabled',
    ],
  ];
  for (const [what, options, code, named] of invalidOptions)
    test(`${what} is rejected, and the message names the flag`, () => {
      const { fault, text } = faultOf(options, files);
      expect(fault.code).toBe(code);
      expect(text).toContain(named);
    });
});
