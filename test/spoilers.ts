import { toHex } from '../src/bytes/hex.ts';
import { compare } from '../src/bytes/octets.ts';
import type { Credential } from '../src/tx/credential.ts';
import { makeTx, type Tx } from '../src/tx/tx.ts';
import { utxoId } from '../src/tx/utxo.ts';
import { draftSpoilers } from './draft-spoilers.ts';
import { mutate } from './random.ts';
import { type Case, chance, type World } from './random-world.ts';
import * as kit from './wallet-kit.ts';

/**
 * Makes a valid transaction bad in one way, with the code of the fault where it is the only one; or in several ways at once, where
 * which fault comes first is the peer's secret and only a comparison with it tells. Nothing, if the chosen way does not fit.
 */
export function spoiled(world: World, draft: kit.Draft, pending: readonly Tx[]): Case | undefined {
  const { random } = world;
  const roll = random.below(100);
  if (roll < 8) return again(world, pending);
  if (roll < 22) return mutated(world, kit.signed(draft));
  if (roll < 38) return signedBadly(world, kit.signed(draft));
  if (roll < 78) return oneWay(world, draft);
  return severalWays(world, draft);
}

function oneWay(world: World, draft: kit.Draft): Case | undefined {
  const [name, code, spoil] = fitting(world, draft);
  const bad = spoil(draft.unsigned, draft, world);
  return bad === undefined ? undefined : { name, bytes: kit.signed(bad).bytes, expected: { refused: code } };
}

/** Twice or thrice, and sometimes signed badly on top. */
function severalWays(world: World, draft: kit.Draft): Case | undefined {
  const names: string[] = [];
  let bad = draft;
  for (let i = 0; i < 2 + world.random.below(2); i++) {
    const [name, , spoil] = fitting(world, bad);
    const worse = spoil(bad.unsigned, bad, world);
    if (worse === undefined) continue;
    bad = worse;
    names.push(name);
  }
  const tx = kit.signed(bad);
  // Two ways may undo each other.
  if (compare(tx.bytes, kit.signed(draft).bytes) === 0) return undefined;
  const worst = chance(world.random, 30) ? signedBadly(world, tx) : undefined;
  return { name: [...names, worst?.name ?? []].flat().join(' and '), bytes: worst?.bytes ?? tx.bytes, expected: { refused: undefined } };
}

/** Half of the ways concern every kind, so the ones of the draft's own kind get half of the chances. */
function fitting({ random }: World, { unsigned }: kit.Draft) {
  const own = draftSpoilers[unsigned.kind];
  return random.pick(chance(random, 50) && own.length > 0 ? own : draftSpoilers.any);
}

/** What was accepted, or waits, comes again, or another one spends the same. */
function again(world: World, pending: readonly Tx[]): Case | undefined {
  const { random, model } = world;
  if (world.holds && pending.length > 0 && chance(random, 60)) {
    const waiting = random.pick(pending);
    if (chance(random, 40)) return { name: 'a waiting one again', bytes: waiting.bytes, expected: 'accepted' };
    const rival = kit.sign({ ...waiting.unsigned, memo: random.bytes(32) }, signersOf(world, waiting));
    return { name: 'a rival of a waiting one', bytes: rival.bytes, expected: { refused: 'MEMPOOL_CONFLICT' } };
  }
  if (model.accepted.length === 0) return undefined;
  return { name: 'an accepted one again', bytes: random.pick(model.accepted).bytes, expected: { refused: 'TX_UTXO_NOT_FOUND' } };
}

/** Who signed each credential: of the keys that own the output, as many as there are signatures. */
function signersOf({ model, wallet, chains }: World, { unsigned, credentials }: Tx): kit.Key[][] {
  const operations = unsigned.kind === 'OperationTx' ? unsigned.operations.map(({ inputIDs }) => inputIDs[0]) : [];
  const imported = unsigned.kind === 'ImportTx' ? unsigned.importedInputs : [];
  const refs = [...unsigned.inputs, ...operations, ...imported];
  return credentials.map((credential, i) => {
    const id = utxoId(refs[i]?.txID ?? unsigned.blockchainID, refs[i]?.outputIndex ?? 0);
    const spent = [model.utxos, ...chains.map(model.inbound)].map((utxos) => utxos.get(id)).find((utxo) => utxo !== undefined);
    const owners = spent?.output.addresses.flatMap((address) => wallet.keys.find((key) => key.address === address) ?? []);
    return (owners ?? []).slice(0, 'signatures' in credential ? credential.signatures.length : 0);
  });
}

/** Any change of the bytes. A transaction that nobody had to sign may live through one. */
function mutated({ random, model }: World, tx: Tx): Case {
  const others = model.accepted.length === 0 ? [tx.bytes] : [random.pick(model.accepted).bytes];
  let bytes = tx.bytes;
  while (compare(bytes, tx.bytes) === 0) bytes = mutate(random, tx.bytes, others);
  return { name: 'mutated', bytes, expected: hasSignature(tx.credentials) ? { refused: undefined } : 'either' };
}

function signedBadly(world: World, tx: Tx): Case | undefined {
  const { random } = world;
  const [name, code, spoil] = random.pick(credentialSpoilers);
  if (tx.credentials.length === 0) return undefined;
  const credentials = spoil([...tx.credentials], world, tx);
  return credentials && { name, bytes: makeTx(tx.unsigned, credentials).bytes, expected: { refused: code } };
}

type CredentialSpoiler = readonly [
  name: string,
  code: string | undefined,
  spoil: (all: Credential[], world: World, tx: Tx) => Credential[] | undefined,
];

/** Changes one of the credentials that carry a signature. */
const onSigned =
  (change: (credential: Extract<Credential, { signatures: unknown }>, world: World) => Credential) =>
  (all: Credential[], world: World): Credential[] | undefined => {
    const at = all.findIndex((credential) => 'signatures' in credential && credential.signatures.length > 0);
    const credential = all[at];
    if (credential === undefined || !('signatures' in credential)) return undefined;
    return all.with(at, change(credential, world));
  };

/** Changes the first signature of a credential. */
const onSignature = (change: (signature: Uint8Array, world: World) => Uint8Array) =>
  onSigned((credential, world) => {
    const [first, ...others] = credential.signatures;
    return { ...credential, signatures: [change(Uint8Array.from(first as Uint8Array), world), ...others] };
  });

const credentialSpoilers: readonly CredentialSpoiler[] = [
  ['a credential too few', 'TX_CREDENTIAL_COUNT', (all) => all.slice(1)],
  ['a credential too many', 'TX_CREDENTIAL_COUNT', (all) => [...all, ...all.slice(0, 1)]],
  ['no credentials', 'TX_CREDENTIAL_COUNT', () => []],
  ['a signature too few', 'TX_SIGNATURE_COUNT', onSigned((c) => ({ ...c, signatures: c.signatures.slice(1) }))],
  ['a signature too many', 'TX_SIGNATURE_COUNT', onSigned((c) => ({ ...c, signatures: [...c.signatures, ...c.signatures.slice(0, 1)] }))],
  ['signed for another transaction', 'TX_WRONG_SIGNATURE', signedForAnother],
  ['signed by a stranger', 'TX_WRONG_SIGNATURE', signedByStranger],
  ['a signature of zeros', 'SIGNATURE_INVALID', onSignature((signature) => signature.fill(0))],
  ['a signature of noise', undefined, onSignature((signature, { random }) => random.bytes(signature.length))],
  ['a recovery id of four', undefined, onSignature((signature) => signature.fill(4, 64))],
  ['s in its upper half', undefined, onSignature(upperHalf)],
  [
    'a credential of another feature extension',
    undefined,
    onSigned((c, { random }) => ({ ...c, kind: otherKind(c.kind, random.below(2)) })),
  ],
  [
    'an output in a credential’s place',
    undefined,
    (all) => all.with(0, { kind: 'propertyfx.OwnedOutput', locktime: 0n, threshold: 0, addresses: [] }),
  ],
  [
    'an unspendable output in a credential’s place',
    'TX_OUTPUT_UNSPENDABLE',
    (all) => all.with(0, { kind: 'nftfx.MintOutput', groupID: 0, locktime: 0n, threshold: 1, addresses: [] }),
  ],
  [
    'an input in a credential’s place',
    'TX_NO_VALUE_INPUT',
    (all) => all.with(-1, { kind: 'secp256k1fx.TransferInput', amount: 0n, signatureIndices: [] }),
  ],
];

/** The right keys, but what they signed had another memo. */
function signedForAnother(all: Credential[], world: World, tx: Tx): Credential[] | undefined {
  if (!hasSignature(all)) return undefined;
  return [...kit.sign({ ...tx.unsigned, memo: world.random.bytes(33) }, signersOf(world, tx)).credentials];
}

function signedByStranger(all: Credential[], world: World, tx: Tx): Credential[] | undefined {
  if (!hasSignature(all)) return undefined;
  const thief = kit.keyFrom(world.random.bytes(32));
  const signers = all.map((credential) => ('signatures' in credential ? credential.signatures.map(() => thief) : []));
  return [...kit.sign(tx.unsigned, signers).credentials];
}

const hasSignature = (all: readonly Credential[]): boolean =>
  all.some((credential) => 'signatures' in credential && credential.signatures.length > 0);

/** n - s is as good a signature to the curve, and refused because it would give a transaction two ids. */
function upperHalf(signature: Uint8Array): Uint8Array {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${toHex(signature.subarray(32, 64))}`);
  signature.set(Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex'), 32);
  signature[64] = (signature[64] ?? 0) ^ 1;
  return signature;
}

const credentialKinds = ['secp256k1fx.Credential', 'nftfx.Credential', 'propertyfx.Credential'] as const;

const otherKind = (kind: string, at: number) => credentialKinds.filter((other) => other !== kind)[at] as (typeof credentialKinds)[number];
