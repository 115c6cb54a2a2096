import { describe, expect, test } from 'bun:test';
import vectors from '../../vectors/identity.json';
import { formatHex, fromHex } from '../bytes/hex.ts';
import { type IdentityOptions, loadIdentity } from './identity.ts';
import type { Files, IdentityFault } from './key-source.ts';
import { IdentityError } from './key-source.ts';

const staker = vectors.localStakers[0]!;
const base64 = (text: string) => Buffer.from(text).toString('base64');

function memoryFiles(): Files & { all: Map<string, Uint8Array> } {
  const all = new Map<string, Uint8Array>();
  return { all, read: (path) => all.get(path), writePrivate: (path, bytes) => void all.set(path, bytes) };
}

const env = (files: Files = memoryFiles()) => ({
  files,
  unixSeconds: () => 1_794_744_000n,
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
});

function faultOf(options: IdentityOptions, files?: Files): { fault: IdentityFault; text: string } {
  try {
    loadIdentity(options, env(files));
  } catch (cause) {
    if (cause instanceof IdentityError) return { fault: cause.fault, text: cause.message };
    throw cause;
  }
  throw new Error('no fault');
}

test('the first start makes three files, the second reads them: one and the same node', async () => {
  const files = memoryFiles();
  const first = loadIdentity({ dataDir: '/d' }, env(files));
  expect([...files.all.keys()]).toEqual(['/d/staking/staker.crt', '/d/staking/staker.key', '/d/staking/signer.key']);
  expect(files.all.get('/d/staking/signer.key')?.length).toBe(32);
  const second = loadIdentity({ dataDir: '/d' }, env(files));
  expect(second.nodeID).toBe(first.nodeID);
  expect(await second.signer.publicKey()).toEqual(await first.signer.publicKey());
});

test('a crash after the certificate leaves no pair: the next start makes one anew', () => {
  const files = memoryFiles();
  const half: Files = {
    read: files.read,
    writePrivate: (path, bytes) => {
      if (path.endsWith('staker.key')) throw new Error('power cut');
      files.writePrivate(path, bytes);
    },
  };
  expect(faultOf({ dataDir: '/d' }, half).fault.code).toBe('IDENTITY_FILE_REFUSED');
  expect([...files.all.keys()]).toEqual(['/d/staking/staker.crt']);
  const made = loadIdentity({ dataDir: '/d' }, env(files));
  expect(loadIdentity({ dataDir: '/d' }, env(files)).nodeID).toBe(made.nodeID);
});

test('in memory, or with the ephemeral flags, nothing is read or written and every start is another node', () => {
  const untouchable: Files = {
    read: () => expect.unreachable(),
    writePrivate: () => expect.unreachable(),
  };
  const options = { dataDir: '/d', ephemeralCert: true, ephemeralSigner: true };
  expect(loadIdentity({}, env(untouchable)).nodeID).not.toBe(loadIdentity({}, env(untouchable)).nodeID);
  expect(loadIdentity(options, env(untouchable)).nodeID).not.toBe(loadIdentity(options, env(untouchable)).nodeID);
});

describe("bringing one's own", () => {
  const files = memoryFiles();
  files.all.set('/k/staker.crt', Buffer.from(staker.certificatePem));
  files.all.set('/k/staker.key', Buffer.from(staker.keyPem!));
  files.all.set('/k/other.crt', Buffer.from(vectors.localStakers[1]!.certificatePem));
  files.all.set('/k/signer.key', fromHex(staker.signerKey.slice(2)));
  const tls = { tlsCertFile: '/k/staker.crt', tlsKeyFile: '/k/staker.key' };

  test("by file: the local network's first staker, an RSA certificate", async () => {
    const identity = loadIdentity({ ...tls, signerKeyFile: '/k/signer.key' }, env(files));
    expect(identity.nodeID).toBe(staker.nodeID);
    expect(formatHex('hexnc', await identity.signer.publicKey())).toBe(staker.publicKey);
  });

  test('by content, in base64; content goes before files', async () => {
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

  const refusals: readonly [string, IdentityOptions, IdentityFault['code'], string][] = [
    ['a key of another certificate', { ...tls, tlsCertFile: '/k/other.crt' }, 'IDENTITY_KEYS_DIFFER', '--staking-tls-cert-file'],
    ['a file that is not there', { ...tls, tlsKeyFile: '/k/none' }, 'IDENTITY_FILE_MISSING', '--staking-tls-key-file'],
    ['half a pair of files, in memory', { tlsCertFile: '/k/staker.crt' }, 'IDENTITY_FLAG_MISSING', '--staking-tls-key-file'],
    ['half a pair of contents', { tlsKeyContent: 'aaaa' }, 'IDENTITY_FLAG_MISSING', '--staking-tls-cert-file-content'],
    ['no base64', { tlsCertContent: '!', tlsKeyContent: 'aaaa' }, 'IDENTITY_BAD_BASE64', '--staking-tls-cert-file-content'],
    ['no PEM', { tlsCertContent: 'aaaa', tlsKeyContent: 'aaaa' }, 'IDENTITY_UNUSABLE', '--staking-tls-cert-file'],
    ['a key in the place of the certificate', { ...tls, tlsCertFile: '/k/staker.key' }, 'IDENTITY_UNUSABLE', 'CERTIFICATE'],
    ['a certificate in the place of the key', { ...tls, tlsKeyFile: '/k/staker.crt' }, 'IDENTITY_UNUSABLE', '--staking-tls-key-file'],
    ['a signer key of the wrong size', { signerKeyContent: 'aaaa' }, 'IDENTITY_UNUSABLE', '--staking-signer-key-file'],
    ['a signer key that is not there', { signerKeyFile: '/k/none' }, 'IDENTITY_FILE_MISSING', '--staking-signer-key-file'],
    [
      'two ways at once',
      { signerKeyFile: '/k/signer.key', ephemeralSigner: true },
      'IDENTITY_FLAGS_CLASH',
      '--staking-ephemeral-signer-enabled',
    ],
  ];
  for (const [what, options, code, named] of refusals)
    test(`${what} is refused, and the text names the flag`, () => {
      const { fault, text } = faultOf(options, files);
      expect(fault.code).toBe(code);
      expect(text).toContain(named);
    });
});
