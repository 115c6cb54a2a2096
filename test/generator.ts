import type { Id } from '../src/bytes/id.ts';
import { maxU64 } from '../src/bytes/octets.ts';
import { Fault } from '../src/fault.ts';
import { consumedBy } from '../src/tx/effects.ts';
import type { Output, TransferableOutput } from '../src/tx/output.ts';
import { parseTx, type Tx } from '../src/tx/tx.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { canSpend } from './ledger-model.ts';
import { amountUpTo, type Case, chance, freeOf, ownOwners, someOwners, stockOf, type World } from './random-world.ts';
import { spoiled } from './spoilers.ts';
import * as kit from './wallet-kit.ts';

export type Generator = {
  /** The next transaction, to be issued after those before it; nothing if the wallet has nothing free left for this block. */
  readonly next: () => Case | undefined;
  /** One that is good by itself, on the model as it stands; it is not noted as waiting. */
  readonly good: () => Tx | undefined;
  /** All that was issued is decided: what is free is counted anew. */
  readonly settled: () => void;
};

/** Random transactions of every kind, a part of them spoiled. Tells what it expects of each by construction, never by the rules in `src/`. */
export function createGenerator(parts: Omit<World, 'taken' | 'stock'>, spoiledPercent = 40): Generator {
  const world: World = { ...parts, taken: new Set(), stock: stockOf(parts) };
  const { random } = world;
  const pending: Tx[] = [];

  const valid = (): { name: string; draft: kit.Draft } | undefined => {
    for (let tries = 0; tries < 20; tries++) {
      const [name, make] = random.pick(dealt);
      const draft = make(world);
      if (draft !== undefined) return { name, draft };
    }
    return undefined;
  };

  const take = (tx: Tx): void => {
    for (const id of consumedBy(tx)) world.taken.add(id);
  };

  /** Where order is not kept, what a bad one wants must not be gone before it is judged, or it is refused for another reason. */
  const takeIfParsed = (bytes: Uint8Array): void => {
    try {
      take(parseTx(bytes));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  };

  return {
    next: () => {
      const made = valid();
      if (made === undefined) return undefined;
      if (chance(random, spoiledPercent)) {
        const bad = spoiled(world, made.draft, pending);
        if (bad?.expected === 'either' || !world.holds) take(kit.signed(made.draft));
        if (bad !== undefined && !world.holds) takeIfParsed(bad.bytes);
        if (bad !== undefined) return { ...bad, name: `${made.name}, ${bad.name}` };
      }
      const tx = kit.signed(made.draft);
      pending.push(tx);
      take(tx);
      return { name: made.name, bytes: tx.bytes, expected: 'accepted' };
    },
    good: () => {
      const made = valid();
      return made && kit.signed(made.draft);
    },
    settled: () => {
      pending.length = 0;
      world.taken.clear();
      world.stock = stockOf(world);
    },
  };
}

/** A builder gives nothing where the ledger has nothing to do it with. */
type Builder = (world: World) => kit.Draft | undefined;

const builders: { readonly [name: string]: readonly [weight: number, make: Builder] } = {
  send: [8, (world) => sendOf(world, 1 + world.random.below(4))],
  'send to many': [2, (world) => sendOf(world, 5 + world.random.below(20))],
  'send an asset': [5, sendAsset],
  'burn the change': [1, burnChange],
  'create an asset': [6, createAsset],
  'one operation': [9, (world) => operate(world, 1)],
  'several operations': [5, (world) => operate(world, 2 + world.random.below(3))],
  export: [3, exportSome],
  import: [6, importSome],
};

const dealt = Object.entries(builders).flatMap(([name, [weight, make]]) => Array.from({ length: weight }, () => [name, make] as const));

const fundsOf = (world: World, utxos: readonly Utxo[]): kit.Funds => ({
  utxos,
  change: ownOwners(world),
  memo: chance(world.random, 60) ? new Uint8Array(0) : world.random.bytes(chance(world.random, 20) ? 256 : world.random.below(256)),
  now: world.now(),
});

/** Money for fees and more: a handful of outputs, so that a transaction does not sweep up the whole wallet. */
function purse(world: World, atLeast: bigint): { utxos: Utxo[]; sum: bigint } | undefined {
  const utxos: Utxo[] = [];
  let sum = 0n;
  for (const utxo of freeOf(world, world.stock.transfers.get(world.wallet.terms.feeAsset))) {
    utxos.push(utxo);
    sum += amountOf(utxo);
    if (sum >= atLeast && chance(world.random, 75)) break;
  }
  return sum >= atLeast ? { utxos, sum } : undefined;
}

function sendOf(world: World, count: number): kit.Draft | undefined {
  const { wallet, random } = world;
  const { feeAsset, txFee } = wallet.terms;
  const money = purse(world, txFee + BigInt(count));
  if (money === undefined) return undefined;
  return kit.baseTx(wallet, fundsOf(world, money.utxos), split(world, feeAsset, money.sum - txFee, random.below(count) + 1));
}

/** Only one output of the asset is spent: together two could be more than a u64 holds. */
function sendAsset(world: World): kit.Draft | undefined {
  const money = purse(world, world.wallet.terms.txFee);
  const piece = someAsset(world);
  if (money === undefined || piece === undefined) return undefined;
  const outputs = split(world, piece.assetID, amountOf(piece), 1 + world.random.below(3));
  return kit.baseTx(world.wallet, fundsOf(world, [piece, ...money.utxos]), outputs);
}

/** What is not sent on is burnt, of the fee's asset and of any other. */
function burnChange(world: World): kit.Draft | undefined {
  const draft = sendAsset(world);
  if (draft === undefined) return undefined;
  const spentMore = draft.unsigned.inputs.reduce((sum, { input }) => sum + input.amount, 0n) > 10_000_000_000_000n;
  return spentMore ? undefined : { ...draft, unsigned: { ...draft.unsigned, outputs: draft.unsigned.outputs.slice(0, 1) } };
}

function createAsset(world: World): kit.Draft | undefined {
  const { random, wallet } = world;
  const money = purse(world, wallet.terms.createAssetTxFee);
  if (money === undefined) return undefined;
  const fxs = [0, 1, 2].filter(() => chance(random, 60));
  const states = (fxs.length === 0 ? [random.below(3)] : fxs).map((fxIndex) => ({
    fxIndex,
    // Nobody asks whether an output belongs to the feature extension it is listed under.
    outputs: Array.from({ length: random.below(4) }, () => initialOutput(world, chance(random, 94) ? fxIndex : random.below(3))),
  }));
  return kit.createAsset(wallet, fundsOf(world, money.utxos), {
    name: nameOf(world),
    symbol: letters(world, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 1 + random.below(4)),
    denomination: random.below(33),
    states,
  });
}

function initialOutput(world: World, fxIndex: number): Output {
  const { random } = world;
  const owners = someOwners(world);
  const kinds: readonly (() => Output)[][] = [
    [
      () => ({ kind: 'secp256k1fx.TransferOutput', amount: amountUpTo(random, maxU64), ...owners }),
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

function operate(world: World, count: number): kit.Draft | undefined {
  const money = purse(world, world.wallet.terms.txFee);
  const acts = new Map<Id, kit.Act>();
  for (let tries = 0; tries < 3 * count && acts.size < count; tries++) {
    const act = someAct(world);
    if (act !== undefined) acts.set(act.on.id, act);
  }
  return money === undefined || acts.size === 0
    ? undefined
    : kit.operationTx(world.wallet, fundsOf(world, money.utxos), [...acts.values()]);
}

function someAct(world: World): kit.Act | undefined {
  const { random, stock } = world;
  const one = (utxos: readonly Utxo[]) => freeOf(world, utxos)[0];
  const kinds: readonly (readonly [readonly Utxo[], (on: Utxo) => kit.Act])[] = [
    [stock.mints, (on) => kit.mintAct(on, amountUpTo(random, maxU64), someOwners(world))],
    [
      stock.nftMints,
      (on) =>
        kit.nftMintAct(
          on,
          payloadOf(world),
          Array.from({ length: random.below(4) }, () => someOwners(world)),
        ),
    ],
    [stock.nfts, (on) => kit.nftTransferAct(on, someOwners(world))],
    [stock.propertyMints, (on) => kit.propertyMintAct(on, someOwners(world))],
    [stock.properties, kit.propertyBurnAct],
  ];
  const [utxos, act] = random.pick(kinds);
  const on = one(utxos);
  return on && act(on);
}

function exportSome(world: World): kit.Draft | undefined {
  const { wallet, random } = world;
  const money = purse(world, wallet.terms.txFee + 3n);
  if (money === undefined) return undefined;
  const piece = chance(random, 30) ? someAsset(world) : undefined;
  const funds = fundsOf(world, piece === undefined ? money.utxos : [piece, ...money.utxos]);
  const most = 1_000_000_000n < money.sum - wallet.terms.txFee ? 1_000_000_000n : money.sum - wallet.terms.txFee;
  const outputs = piece ? split(world, piece.assetID, amountOf(piece), 2) : split(world, wallet.terms.feeAsset, most, 1 + random.below(3));
  return kit.exportTx(wallet, funds, random.pick(world.chains), outputs);
}

function importSome(world: World): kit.Draft | undefined {
  const { random, wallet, model, taken } = world;
  const from = random.pick(world.chains);
  const ours = [...model.inbound(from).values()].filter(
    (utxo) => !taken.has(utxo.id) && model.assets.get(utxo.assetID)?.includes(0) && canSpend(utxo, wallet.keys, world.now()),
  );
  const money = purse(world, wallet.terms.txFee);
  if (ours.length === 0 || money === undefined) return undefined;
  // At most one of each asset but the fee's: their sum has to fit into a u64.
  const chosen = new Map(freeOf(world, ours).map((utxo) => [utxo.assetID === wallet.terms.feeAsset ? utxo.id : utxo.assetID, utxo]));
  return kit.importTx(wallet, fundsOf(world, money.utxos), from, [...chosen.values()].slice(0, 1 + random.below(3)));
}

/** Up to so many outputs to anyone, no more than the amount in all. */
function split(world: World, assetID: Id, amount: bigint, count: number): TransferableOutput[] {
  const outputs: TransferableOutput[] = [];
  let left = amount;
  for (let i = 0; i < count && left > 0n; i++) {
    const part = amountUpTo(world.random, count - i > 1 && left > 1n ? left / 2n : left);
    outputs.push(kit.transfer(assetID, part, someOwners(world)));
    left -= part;
  }
  return outputs;
}

function someAsset(world: World): Utxo | undefined {
  const others = [...world.stock.transfers.keys()].filter((id) => id !== world.wallet.terms.feeAsset);
  return others.length === 0 ? undefined : freeOf(world, world.stock.transfers.get(world.random.pick(others)))[0];
}

const payloadOf = ({ random }: World): Uint8Array => random.bytes(chance(random, 10) ? 1024 : random.below(60));

/** Letters and digits, with blanks only inside. */
function nameOf(world: World): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const inside = letters(world, `${alphabet}   `, world.random.below(chance(world.random, 10) ? 127 : 20));
  return letters(world, alphabet, 1) + (inside === '' ? '' : inside.slice(1) + letters(world, alphabet, 1));
}

const letters = ({ random }: World, alphabet: string, length: number): string =>
  Array.from({ length }, () => random.pick([...alphabet])).join('');

const amountOf = ({ output }: Utxo): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n);
