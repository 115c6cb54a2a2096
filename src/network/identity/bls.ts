import { Fault } from '../../base/fault.ts';

/** The node's BLS key. Loading and computing take about 0.1 s after a cold start, so both happen on first use. */
export type BlsSigner = {
  /** 48 bytes, compressed. */
  publicKey(): Promise<Uint8Array>;
  proofOfPossession(): Promise<ProofOfPossession>;
  /** Signs a message with the tag of proofs of possession (96 bytes, compressed), as a node signs its IP address. */
  signPossession(message: Uint8Array): Promise<Uint8Array>;
};

/** A public key and a signature of its own bytes (96 bytes, compressed), which proves possession of the secret key. */
export type ProofOfPossession = { publicKey: Uint8Array; proofOfPossession: Uint8Array };

const secretLength = 32;

/** Creates a secret key: 48 random bytes modulo the group order, so that the bias is negligible (as in KeyGen of the BLS draft). */
export function newSecret(random: (length: number) => Uint8Array): Uint8Array {
  const value = (toBigInt(random(48)) % (order - 1n)) + 1n;
  return Buffer.from(value.toString(16).padStart(2 * secretLength, '0'), 'hex');
}

/** Creates a signer from a secret key, 32 bytes big-endian. AvalancheGo: utils/crypto/bls/signer/localsigner. */
export function blsSigner(secret: Uint8Array): BlsSigner {
  const value = secret.length === secretLength ? toBigInt(secret) : 0n;
  if (value === 0n || value >= order) throw new BlsError("couldn't deserialize secret key", { code: 'BLS_BAD_SECRET' });
  const publicKey = memoizeOnce(async () => (await longSignatures()).getPublicKey(secret).toBytes());
  const signPossession = async (message: Uint8Array): Promise<Uint8Array> => {
    const bls = await longSignatures();
    return bls.sign(bls.hash(message, possessionSuite), secret).toBytes();
  };
  const proofOfPossession = memoizeOnce(async () => {
    const key = await publicKey();
    return { publicKey: key, proofOfPossession: await signPossession(key) };
  });
  return { publicKey, proofOfPossession, signPossession };
}

/** Whether a signature with the tag of proofs of possession is by the key. Returns false for invalid keys and signatures. */
export async function verifyPossessionSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const bls = await longSignatures();
  try {
    return bls.verify(signature, bls.hash(message, possessionSuite), publicKey);
  } catch {
    return false;
  }
}

/** Whether bytes are a compressed point of the group of signatures; the point at infinity is one. AvalancheGo: utils/crypto/bls/signature.go. */
export async function isBlsSignature(bytes: Uint8Array): Promise<boolean> {
  const bls = await longSignatures();
  if (bytes.length === infinity.length && bytes.every((byte, index) => byte === infinity[index])) return true;
  try {
    bls.Signature.fromBytes(bytes).assertValidity();
    return true;
  } catch {
    return false;
  }
}

const infinity = Uint8Array.of(0xc0, ...new Uint8Array(95));

/** AvalancheGo: utils/crypto/bls/ciphersuite.go. */
const possessionSuite = 'BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';

/** Order of the groups of BLS12-381. */
const order = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

const longSignatures = async () => (await import('@noble/curves/bls12-381.js')).bls12_381.longSignatures;

const toBigInt = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

function memoizeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type BlsFault = { code: 'BLS_BAD_SECRET' };
export class BlsError extends Fault<BlsFault> {}
