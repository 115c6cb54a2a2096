import { expect, test } from 'bun:test';
import vectors from '../../../vectors/identity.json';
import { formatHex, fromHex } from '../../base/bytes/hex.ts';
import { BlsError, blsSigner, newSecret, type ProofOfPossession, verifyPossessionSignature } from './bls.ts';

const bytes = (text: string) => fromHex(text.slice(2));
const verifyPossession = ({ publicKey, proofOfPossession }: ProofOfPossession) =>
  verifyPossessionSignature(publicKey, publicKey, proofOfPossession);

test('public keys and proofs of the local network are those of its genesis', async () => {
  for (const staker of vectors.localStakers) {
    const proof = await blsSigner(bytes(staker.signerKey)).proofOfPossession();
    expect(formatHex('hexnc', proof.publicKey)).toBe(staker.publicKey);
    expect(formatHex('hexnc', proof.proofOfPossession)).toBe(staker.proofOfPossession);
  }
});

test('the proof of a running AvalancheGo verifies, a wrong one does not', async () => {
  const { publicKey, proofOfPossession } = vectors.runningNode.nodePOP;
  const proof = { publicKey: bytes(publicKey), proofOfPossession: bytes(proofOfPossession) };
  expect(await verifyPossession(proof)).toBe(true);
  const other = bytes(vectors.localStakers[0]!.proofOfPossession);
  expect(await verifyPossession({ ...proof, proofOfPossession: other })).toBe(false);
  expect(await verifyPossession({ ...proof, proofOfPossession: new Uint8Array(96) })).toBe(false);
  expect(await verifyPossession({ ...proof, publicKey: new Uint8Array(48) })).toBe(false);
});

test('a new secret key is in range and its proof verifies; the proof is computed once', async () => {
  const secret = newSecret((length) => new Uint8Array(length).fill(0xff));
  expect(secret.length).toBe(32);
  const signer = blsSigner(secret);
  const proof = await signer.proofOfPossession();
  expect(proof.publicKey).toEqual(await signer.publicKey());
  expect(await verifyPossession(proof)).toBe(true);
  expect(await signer.proofOfPossession()).toBe(proof);
});

test('a secret key of the wrong size or out of range is rejected', () => {
  const order = fromHex('73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001');
  for (const bad of [new Uint8Array(0), new Uint8Array(31).fill(1), new Uint8Array(33).fill(1), new Uint8Array(32), order])
    expect(() => blsSigner(bad)).toThrow(BlsError);
  const lowest = newSecret((length) => new Uint8Array(length));
  expect(lowest.at(-1)).toBe(1);
});
