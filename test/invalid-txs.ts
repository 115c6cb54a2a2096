import type { Credential } from '../src/avm/tx/credential.ts';
import { makeTx, type Tx } from '../src/avm/tx/tx.ts';
import { utxoId } from '../src/avm/tx/utxo.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { compare } from '../src/base/bytes/octets.ts';
import { draftMutations } from './draft-mutations.ts';
import { mutate } from './random.ts';
import { type Case, chance, type World } from './random-world.ts';
import * as kit from './wallet-kit.ts';

/**
 * Makes a valid transaction invalid: with one fault, whose error code is then known, or with several, where only a comparison with
 * AvalancheGo shows which is reported first. Returns undefined if the chosen change does not apply.
 */
export function makeInvalid(world: World, draft: kit.Draft, pending: readonly Tx[]): Case | undefined {
  const { random } = world;
  const roll = random.below(100);
  if (roll < 8) return repeated(world, pending);
  if (roll < 22) return mutatedBytes(world, kit.signDraft(draft));
  if (roll < 38) return withBadCredentials(world, kit.signDraft(draft));
  if (roll < 78) return withOneFault(world, draft);
  return withSeveralFaults(world, draft);
}

function withOneFault(world: World, draft: kit.Draft): Case | undefined {
  const [name, code, spoil] = pickMutation(world, draft);
  const bad = spoil(draft.unsigned, draft, world);
  return bad === undefined ? undefined : { name, bytes: kit.signDraft(bad).bytes, expected: { rejectedWith: code } };
}

/** Applies two or three changes, and sometimes invalid credentials too. */
function withSeveralFaults(world: World, draft: kit.Draft): Case | undefined {
  const names: string[] = [];
  let bad = draft;
  for (let i = 0; i < 2 + world.random.below(2); i++) {
    const [name, , spoil] = pickMutation(world, bad);
    const worse = spoil(bad.unsigned, bad, world);
    if (worse === undefined) continue;
    bad = worse;
    names.push(name);
  }
  const tx = kit.signDraft(bad);
  // Two changes may undo each other.
  if (compare(tx.bytes, kit.signDraft(draft).bytes) === 0) return undefined;
  const worst = chance(world.random, 30) ? withBadCredentials(world, tx) : undefined;
  return {
    name: [...names, worst?.name ?? []].flat().join(' and '),
    bytes: worst?.bytes ?? tx.bytes,
    expected: { rejectedWith: undefined },
  };
}

/** Picks a change, with equal chances for those of any transaction type and those of the draft's type. */
function pickMutation({ random }: World, { unsigned }: kit.Draft) {
  const own = draftMutations[unsigned.kind];
  return random.pick(chance(random, 50) && own.length > 0 ? own : draftMutations.any);
}

/** An accepted or pending transaction again, or another one that spends the same outputs. */
function repeated(world: World, pending: readonly Tx[]): Case | undefined {
  const { random, model } = world;
  if (world.holdsPending && pending.length > 0 && chance(random, 60)) {
    const waiting = random.pick(pending);
    if (chance(random, 40)) return { name: 'a pending transaction again', bytes: waiting.bytes, expected: 'accepted' };
    const conflicting = kit.sign({ ...waiting.unsigned, memo: random.bytes(32) }, signersOf(world, waiting));
    return { name: 'a conflict with a pending transaction', bytes: conflicting.bytes, expected: { rejectedWith: 'MEMPOOL_CONFLICT' } };
  }
  if (model.accepted.length === 0) return undefined;
  return {
    name: 'an accepted transaction again',
    bytes: random.pick(model.accepted).bytes,
    expected: { rejectedWith: 'TX_UTXO_NOT_FOUND' },
  };
}

/** The signers of each credential: as many owners of the output as there are signatures. */
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

/** Changes the bytes. A transaction without signatures may stay valid. */
function mutatedBytes({ random, model }: World, tx: Tx): Case {
  const others = model.accepted.length === 0 ? [tx.bytes] : [random.pick(model.accepted).bytes];
  let bytes = tx.bytes;
  while (compare(bytes, tx.bytes) === 0) bytes = mutate(random, tx.bytes, others);
  return { name: 'mutated', bytes, expected: hasSignature(tx.credentials) ? { rejectedWith: undefined } : 'either' };
}

function withBadCredentials(world: World, tx: Tx): Case | undefined {
  const { random } = world;
  const [name, code, spoil] = random.pick(credentialMutations);
  if (tx.credentials.length === 0) return undefined;
  const credentials = spoil([...tx.credentials], world, tx);
  return credentials && { name, bytes: makeTx(tx.unsigned, credentials).bytes, expected: { rejectedWith: code } };
}

type CredentialMutation = readonly [
  name: string,
  code: string | undefined,
  spoil: (all: Credential[], world: World, tx: Tx) => Credential[] | undefined,
];

/** Changes the first credential with a signature. */
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

const credentialMutations: readonly CredentialMutation[] = [
  ['a credential too few', 'TX_CREDENTIAL_COUNT', (all) => all.slice(1)],
  ['a credential too many', 'TX_CREDENTIAL_COUNT', (all) => [...all, ...all.slice(0, 1)]],
  ['no credentials', 'TX_CREDENTIAL_COUNT', () => []],
  ['a signature too few', 'TX_SIGNATURE_COUNT', onSigned((c) => ({ ...c, signatures: c.signatures.slice(1) }))],
  ['a signature too many', 'TX_SIGNATURE_COUNT', onSigned((c) => ({ ...c, signatures: [...c.signatures, ...c.signatures.slice(0, 1)] }))],
  ['signed for another transaction', 'TX_WRONG_SIGNATURE', signedForOtherTx],
  ['signed by another key', 'TX_WRONG_SIGNATURE', signedByOther],
  ['a signature of zeros', 'SIGNATURE_INVALID', onSignature((signature) => signature.fill(0))],
  ['a signature of random bytes', undefined, onSignature((signature, { random }) => random.bytes(signature.length))],
  ['recovery ID 4', undefined, onSignature((signature) => signature.fill(4, 64))],
  ['s in the upper half', undefined, onSignature(upperHalf)],
  [
    'a credential of another feature extension',
    undefined,
    onSigned((c, { random }) => ({ ...c, kind: otherKind(c.kind, random.below(2)) })),
  ],
  [
    'an output instead of a credential',
    undefined,
    (all) => all.with(0, { kind: 'propertyfx.OwnedOutput', locktime: 0n, threshold: 0, addresses: [] }),
  ],
  [
    'an unspendable output instead of a credential',
    'TX_OUTPUT_UNSPENDABLE',
    (all) => all.with(0, { kind: 'nftfx.MintOutput', groupID: 0, locktime: 0n, threshold: 1, addresses: [] }),
  ],
  [
    'an input instead of a credential',
    'TX_NO_VALUE_INPUT',
    (all) => all.with(-1, { kind: 'secp256k1fx.TransferInput', amount: 0n, signatureIndices: [] }),
  ],
];

/** Signs with the right keys, but for a transaction with another memo. */
function signedForOtherTx(all: Credential[], world: World, tx: Tx): Credential[] | undefined {
  if (!hasSignature(all)) return undefined;
  return [...kit.sign({ ...tx.unsigned, memo: world.random.bytes(33) }, signersOf(world, tx)).credentials];
}

function signedByOther(all: Credential[], world: World, tx: Tx): Credential[] | undefined {
  if (!hasSignature(all)) return undefined;
  const otherKey = kit.keyFrom(world.random.bytes(32));
  const signers = all.map((credential) => ('signatures' in credential ? credential.signatures.map(() => otherKey) : []));
  return [...kit.sign(tx.unsigned, signers).credentials];
}

const hasSignature = (all: readonly Credential[]): boolean =>
  all.some((credential) => 'signatures' in credential && credential.signatures.length > 0);

/** Replaces s by n - s, which is valid on the curve but rejected, because it would give a transaction two IDs. */
function upperHalf(signature: Uint8Array): Uint8Array {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${toHex(signature.subarray(32, 64))}`);
  signature.set(Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex'), 32);
  signature[64] = (signature[64] ?? 0) ^ 1;
  return signature;
}

const credentialKinds = ['secp256k1fx.Credential', 'nftfx.Credential', 'propertyfx.Credential'] as const;

const otherKind = (kind: string, at: number) => credentialKinds.filter((other) => other !== kind)[at] as (typeof credentialKinds)[number];
