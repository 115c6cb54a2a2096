import { consumedIds } from '../src/avm/tx/effects.ts';
import type { Output, TransferableOutput } from '../src/avm/tx/output.ts';
import { parseTx, type Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import type { Id } from '../src/base/bytes/id.ts';
import { maxU64 } from '../src/base/bytes/octets.ts';
import { Fault } from '../src/base/fault.ts';
import { makeInvalid } from './invalid-txs.ts';
import { canSpend } from './ledger-model.ts';
import { availableOf, type Case, chance, collectSpendable, randomAmount, randomOwners, type World, walletOwners } from './random-world.ts';
import * as kit from './wallet-kit.ts';

export type TxGenerator = {
  /** The next transaction, to be issued after the ones before it; undefined if the wallet has no unreserved outputs left for this block. */
  readonly next: () => Case | undefined;
  /** A transaction that is valid on the current model. Its inputs are not reserved. */
  readonly nextValid: () => Tx | undefined;
  /** Releases all reserved outputs. Call it when all issued transactions are accepted or rejected. */
  readonly reset: () => void;
};

/**
 * Creates random transactions of every type, some of them invalid. The expected result of each follows from how it was built, never from
 * the rules in `src/`.
 */
export function createTxGenerator(parts: Omit<World, 'pendingInputs' | 'spendable'>, invalidPercent = 40): TxGenerator {
  const world: World = { ...parts, pendingInputs: new Set(), spendable: collectSpendable(parts) };
  const { random } = world;
  const pending: Tx[] = [];

  const generateValid = (): { name: string; draft: kit.Draft } | undefined => {
    for (let tries = 0; tries < 20; tries++) {
      const [name, make] = random.pick(weightedBuilders);
      const draft = make(world);
      if (draft !== undefined) return { name, draft };
    }
    return undefined;
  };

  const reserveInputs = (tx: Tx): void => {
    for (const id of consumedIds(tx)) world.pendingInputs.add(id);
  };

  /** If transactions are not verified in order, the inputs of an invalid one are reserved: else it could be rejected for another reason. */
  const reserveIfParsed = (bytes: Uint8Array): void => {
    try {
      reserveInputs(parseTx(bytes));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  };

  return {
    next: () => {
      const generated = generateValid();
      if (generated === undefined) return undefined;
      if (chance(random, invalidPercent)) {
        const invalid = makeInvalid(world, generated.draft, pending);
        if (invalid?.expected === 'either' || !world.holdsPending) reserveInputs(kit.signDraft(generated.draft));
        if (invalid !== undefined && !world.holdsPending) reserveIfParsed(invalid.bytes);
        if (invalid !== undefined) return { ...invalid, name: `${generated.name}, ${invalid.name}` };
      }
      const tx = kit.signDraft(generated.draft);
      pending.push(tx);
      reserveInputs(tx);
      return { name: generated.name, bytes: tx.bytes, expected: 'accepted' };
    },
    nextValid: () => {
      const generated = generateValid();
      return generated && kit.signDraft(generated.draft);
    },
    reset: () => {
      pending.length = 0;
      world.pendingInputs.clear();
      world.spendable = collectSpendable(world);
    },
  };
}

/** Builds a transaction; returns undefined if the ledger does not have the outputs for it. */
type Builder = (world: World) => kit.Draft | undefined;

const builders: { readonly [name: string]: readonly [weight: number, make: Builder] } = {
  send: [8, (world) => buildSend(world, 1 + world.random.below(4))],
  'send to many': [2, (world) => buildSend(world, 5 + world.random.below(20))],
  'send an asset': [5, buildSendAsset],
  'burn the change': [1, buildBurn],
  'create an asset': [6, buildCreateAsset],
  'one operation': [9, (world) => buildOperations(world, 1)],
  'several operations': [5, (world) => buildOperations(world, 2 + world.random.below(3))],
  export: [3, buildExport],
  import: [6, buildImport],
};

const weightedBuilders = Object.entries(builders).flatMap(([name, [weight, make]]) =>
  Array.from({ length: weight }, () => [name, make] as const),
);

const makeFunds = (world: World, utxos: readonly Utxo[]): kit.Funds => ({
  utxos,
  change: walletOwners(world),
  memo: chance(world.random, 60) ? new Uint8Array(0) : world.random.bytes(chance(world.random, 20) ? 256 : world.random.below(256)),
  now: world.now(),
});

/** Selects outputs of the fee asset, at least `atLeast` in total: only a few, so that a transaction does not use the whole wallet. */
function selectFeeUtxos(world: World, atLeast: bigint): { utxos: Utxo[]; sum: bigint } | undefined {
  const utxos: Utxo[] = [];
  let sum = 0n;
  for (const utxo of availableOf(world, world.spendable.transfers.get(world.wallet.chainParams.feeAsset))) {
    utxos.push(utxo);
    sum += amountOf(utxo);
    if (sum >= atLeast && chance(world.random, 75)) break;
  }
  return sum >= atLeast ? { utxos, sum } : undefined;
}

function buildSend(world: World, count: number): kit.Draft | undefined {
  const { wallet, random } = world;
  const { feeAsset, txFee } = wallet.chainParams;
  const money = selectFeeUtxos(world, txFee + BigInt(count));
  if (money === undefined) return undefined;
  return kit.baseTx(wallet, makeFunds(world, money.utxos), splitAmount(world, feeAsset, money.sum - txFee, random.below(count) + 1));
}

/** Spends only one output of the asset: the sum of two could exceed u64. */
function buildSendAsset(world: World): kit.Draft | undefined {
  const money = selectFeeUtxos(world, world.wallet.chainParams.txFee);
  const piece = pickAssetUtxo(world);
  if (money === undefined || piece === undefined) return undefined;
  const outputs = splitAmount(world, piece.assetID, amountOf(piece), 1 + world.random.below(3));
  return kit.baseTx(world.wallet, makeFunds(world, [piece, ...money.utxos]), outputs);
}

/** Burns whatever is not in the first output, of the fee asset and of other assets. */
function buildBurn(world: World): kit.Draft | undefined {
  const draft = buildSendAsset(world);
  if (draft === undefined) return undefined;
  const spentMore = draft.unsigned.inputs.reduce((sum, { input }) => sum + input.amount, 0n) > 10_000_000_000_000n;
  return spentMore ? undefined : { ...draft, unsigned: { ...draft.unsigned, outputs: draft.unsigned.outputs.slice(0, 1) } };
}

function buildCreateAsset(world: World): kit.Draft | undefined {
  const { random, wallet } = world;
  const money = selectFeeUtxos(world, wallet.chainParams.createAssetTxFee);
  if (money === undefined) return undefined;
  const fxs = [0, 1, 2].filter(() => chance(random, 60));
  const states = (fxs.length === 0 ? [random.below(3)] : fxs).map((fxIndex) => ({
    fxIndex,
    // No rule requires that an output belongs to the feature extension it is listed under.
    outputs: Array.from({ length: random.below(4) }, () => initialOutput(world, chance(random, 94) ? fxIndex : random.below(3))),
  }));
  return kit.createAsset(wallet, makeFunds(world, money.utxos), {
    name: randomName(world),
    symbol: randomLetters(world, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 1 + random.below(4)),
    denomination: random.below(33),
    states,
  });
}

function initialOutput(world: World, fxIndex: number): Output {
  const { random } = world;
  const owners = randomOwners(world);
  const kinds: readonly (() => Output)[][] = [
    [
      () => ({ kind: 'secp256k1fx.TransferOutput', amount: randomAmount(random, maxU64), ...owners }),
      () => ({ kind: 'secp256k1fx.MintOutput', ...owners }),
    ],
    [
      () => ({ kind: 'nftfx.MintOutput', groupID: random.below(3), ...owners }),
      () => ({ kind: 'nftfx.TransferOutput', groupID: random.next(), payload: random.bytes(random.below(40)), ...owners }),
    ],
    [() => ({ kind: 'propertyfx.MintOutput', ...owners }), () => ({ kind: 'propertyfx.OwnedOutput', ...owners })],
  ];
  return random.pick(kinds[fxIndex] ?? [])();
}

function buildOperations(world: World, count: number): kit.Draft | undefined {
  const money = selectFeeUtxos(world, world.wallet.chainParams.txFee);
  const acts = new Map<Id, kit.OperationSpec>();
  for (let tries = 0; tries < 3 * count && acts.size < count; tries++) {
    const act = pickAct(world);
    if (act !== undefined) acts.set(act.utxo.id, act);
  }
  return money === undefined || acts.size === 0
    ? undefined
    : kit.operationTx(world.wallet, makeFunds(world, money.utxos), [...acts.values()]);
}

function pickAct(world: World): kit.OperationSpec | undefined {
  const { random, spendable } = world;
  const one = (utxos: readonly Utxo[]) => availableOf(world, utxos)[0];
  const kinds: readonly (readonly [readonly Utxo[], (on: Utxo) => kit.OperationSpec])[] = [
    [spendable.mints, (on) => kit.mintSpec(on, randomAmount(random, maxU64), randomOwners(world))],
    [
      spendable.nftMints,
      (on) =>
        kit.nftMintSpec(
          on,
          randomPayload(world),
          Array.from({ length: random.below(4) }, () => randomOwners(world)),
        ),
    ],
    [spendable.nfts, (on) => kit.nftTransferSpec(on, randomOwners(world))],
    [spendable.propertyMints, (on) => kit.propertyMintSpec(on, randomOwners(world))],
    [spendable.properties, kit.propertyBurnSpec],
  ];
  const [utxos, act] = random.pick(kinds);
  const on = one(utxos);
  return on && act(on);
}

function buildExport(world: World): kit.Draft | undefined {
  const { wallet, random } = world;
  const money = selectFeeUtxos(world, wallet.chainParams.txFee + 3n);
  if (money === undefined) return undefined;
  const piece = chance(random, 30) ? pickAssetUtxo(world) : undefined;
  const funds = makeFunds(world, piece === undefined ? money.utxos : [piece, ...money.utxos]);
  const most = 1_000_000_000n < money.sum - wallet.chainParams.txFee ? 1_000_000_000n : money.sum - wallet.chainParams.txFee;
  const outputs = piece
    ? splitAmount(world, piece.assetID, amountOf(piece), 2)
    : splitAmount(world, wallet.chainParams.feeAsset, most, 1 + random.below(3));
  return kit.exportTx(wallet, funds, random.pick(world.chains), outputs);
}

function buildImport(world: World): kit.Draft | undefined {
  const { random, wallet, model, pendingInputs } = world;
  const from = random.pick(world.chains);
  const ours = [...model.inbound(from).values()].filter(
    (utxo) => !pendingInputs.has(utxo.id) && model.assets.get(utxo.assetID)?.includes(0) && canSpend(utxo, wallet.keys, world.now()),
  );
  const money = selectFeeUtxos(world, wallet.chainParams.txFee);
  if (ours.length === 0 || money === undefined) return undefined;
  // At most one output of each asset except the fee asset: the sum must fit into a u64.
  const chosen = new Map(
    availableOf(world, ours).map((utxo) => [utxo.assetID === wallet.chainParams.feeAsset ? utxo.id : utxo.assetID, utxo]),
  );
  return kit.importTx(wallet, makeFunds(world, money.utxos), from, [...chosen.values()].slice(0, 1 + random.below(3)));
}

/** Creates up to `count` outputs to random owners, with at most `amount` in total. */
function splitAmount(world: World, assetID: Id, amount: bigint, count: number): TransferableOutput[] {
  const outputs: TransferableOutput[] = [];
  let left = amount;
  for (let i = 0; i < count && left > 0n; i++) {
    const part = randomAmount(world.random, count - i > 1 && left > 1n ? left / 2n : left);
    outputs.push(kit.transfer(assetID, part, randomOwners(world)));
    left -= part;
  }
  return outputs;
}

function pickAssetUtxo(world: World): Utxo | undefined {
  const others = [...world.spendable.transfers.keys()].filter((id) => id !== world.wallet.chainParams.feeAsset);
  return others.length === 0 ? undefined : availableOf(world, world.spendable.transfers.get(world.random.pick(others)))[0];
}

const randomPayload = ({ random }: World): Uint8Array => random.bytes(chance(random, 10) ? 1024 : random.below(60));

/** A random asset name: letters and digits, with spaces only inside. */
function randomName(world: World): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const inside = randomLetters(world, `${alphabet}   `, world.random.below(chance(world.random, 10) ? 127 : 20));
  return randomLetters(world, alphabet, 1) + (inside === '' ? '' : inside.slice(1) + randomLetters(world, alphabet, 1));
}

const randomLetters = ({ random }: World, alphabet: string, length: number): string =>
  Array.from({ length }, () => random.pick([...alphabet])).join('');

const amountOf = ({ output }: Utxo): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n);
