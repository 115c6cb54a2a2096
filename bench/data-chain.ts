import type { Address } from '../src/bytes/address.ts';
import { sha256 } from '../src/bytes/hash.ts';
import type { Id } from '../src/bytes/id.ts';
import type { NewBlock } from '../src/state/block-change.ts';
import { type Block, makeBlock } from '../src/tx/block.ts';
import { type Effects, effectsOf } from '../src/tx/effects.ts';
import type { TransferableInput } from '../src/tx/input.ts';
import type { OutputOwners, TransferableOutput } from '../src/tx/output.ts';
import type { Tx } from '../src/tx/tx.ts';
import type { UnsignedTx } from '../src/tx/unsigned.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { ewoq, ewoqGenesisUtxo, type Key, keyFrom, localChainParams, ownedBy, sign, transfer } from '../test/wallet-kit.ts';

/**
 * Blocks of a chain as busy months leave it behind, made without end: transfers of one or two inputs, mostly to two of many addresses, a
 * tenth of them with assets; one address is sent every twentieth output and keeps most. With every transaction one more output is left
 * unspent. All is signed for, but nothing is checked: what is measured is how it is kept and found again.
 */
export type Growth = {
  readonly hotAddress: Address;
  /** What half of the transfers of assets are of; known once it is made. */
  readonly busyAsset: () => Id;
  readonly next: (parent: Pick<Block, 'id' | 'height'>, time: bigint, txs: number) => NewBlock;
};

/** No output that is made here is smaller. */
export const leastAmount = 20_000;

export const addressAt = (index: number): Address => holder(index).address;

const holder = (name: number | 'hot'): Key => keyFrom(sha256(Buffer.from(`holder ${name}`)));

export function startGrowth(seed: number, addressCount: number): Growth {
  const random = randomOf(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const holders = Array.from({ length: addressCount }, (_, i) => holder(i));
  const hot = holder('hot');
  const keys = new Map([...holders, hot, ewoq].map((key) => [key.address, key]));
  const anyAddress = (): Address => (holders[below(addressCount)] as Key).address;
  const coins = createPool(below);
  const assets: { readonly id: Id; readonly pool: Pool }[] = [];
  let consumed = new Map<Id, Utxo>();
  /** Of the inputs of the transaction that is being made. */
  let signers: Key[][] = [];
  coins.put(ewoqGenesisUtxo);

  const anyOwner = (): OutputOwners => {
    const chance = random();
    if (chance < 0.055) return ownedBy([hot]);
    return chance < 0.065 ? ownedBy([...new Set([anyAddress(), anyAddress()])]) : ownedBy([anyAddress()]);
  };

  const parts = (assetID: Id, amount: bigint, count: number): TransferableOutput[] => {
    const even = amount / BigInt(count);
    let rest = amount;
    return Array.from({ length: count }, (_, i) => {
      const part = i === count - 1 ? rest : (even * BigInt(500 + below(500))) / 1000n;
      rest -= part;
      return transfer(assetID, part, anyOwner());
    });
  };

  const take = (pool: Pool): { readonly input: TransferableInput; readonly amount: bigint } => {
    const utxo = pool.take();
    consumed.set(utxo.id, utxo);
    const { txID, outputIndex, assetID, output } = utxo;
    signers.push([keys.get(output.addresses[0] as Address) as Key]);
    const amount = 'amount' in output ? output.amount : 0n;
    return { input: { txID, outputIndex, assetID, input: { kind: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] } }, amount };
  };

  const spend = (inputs: readonly TransferableInput[], outputs: TransferableOutput[]): UnsignedTx => ({
    kind: 'BaseTx',
    ...chainPlace,
    inputs: [...inputs],
    outputs,
    memo: nothing,
  });
  /** Of coins only. */
  const pay = (count: number, outputs: number): UnsignedTx => {
    const taken = Array.from({ length: count }, () => take(coins));
    const amount = taken.reduce((sum, one) => sum + one.amount, -localChainParams.txFee);
    return spend(
      taken.map(({ input }) => input),
      parts(localChainParams.feeAsset, amount, outputs),
    );
  };
  const send = ({ id, pool }: (typeof assets)[number]): UnsignedTx => {
    const [coin, sent] = [take(coins), take(pool)];
    const change = transfer(localChainParams.feeAsset, coin.amount - localChainParams.txFee, anyOwner());
    return spend([coin.input, sent.input], [...parts(id, sent.amount, 2), change]);
  };

  const unsigned = (): UnsignedTx => {
    if (assets.length < assetCount) return creation(assets.length, anyAddress());
    // Whoever has one of the few first coins hands out to more.
    if (coins.size() < 2000) return pay(1, 4);
    const chance = random();
    if (chance < 0.1) {
      const sent = assets[random() < 0.5 ? 0 : below(assetCount)];
      if (sent !== undefined && sent.pool.size() > 0) return send(sent);
    }
    if (chance < 0.3) return pay(2, 2);
    return chance < 0.92 ? pay(1, 2) : pay(1, 4 + below(2));
  };

  const grow = (): { tx: Tx; effects: Effects } => {
    signers = [];
    const made = unsigned();
    const tx = sign(made, signers);
    const effects = effectsOf(tx);
    if (made.kind === 'CreateAssetTx') assets.push({ id: tx.id, pool: createPool(below) });
    for (const utxo of effects.created) {
      const { assetID, output } = utxo;
      if (output.addresses[0] === hot.address && random() > 0.1) continue;
      if (!('amount' in output) || output.amount < smallest) continue;
      const pool = assetID === localChainParams.feeAsset ? coins : assets.find(({ id }) => id === assetID)?.pool;
      pool?.put(utxo);
    }
    return { tx, effects };
  };

  return {
    hotAddress: hot.address,
    busyAsset: () => assets[0]?.id as Id,
    next: (parent, time, txs) => {
      consumed = new Map();
      const applied = Array.from({ length: txs }, grow);
      const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time, txs: applied.map(({ tx }) => tx) });
      return { block, diff: { applied, consumed } };
    },
  };
}

/** Outputs that may be spent, any of them next. Of a full one some are left unspent for good. */
type Pool = { readonly size: () => number; readonly put: (utxo: Utxo) => void; readonly take: () => Utxo };

function createPool(below: (limit: number) => number): Pool {
  const utxos: Utxo[] = [];
  return {
    size: () => utxos.length,
    put: (utxo) => {
      if (utxos.length < poolSize) utxos.push(utxo);
      else utxos[below(poolSize)] = utxo;
    },
    take: () => {
      const at = below(utxos.length);
      const taken = utxos[at] as Utxo;
      utxos[at] = utxos.at(-1) as Utxo;
      utxos.pop();
      return taken;
    },
  };
}

const poolSize = 100_000;
const assetCount = 16;

const nothing = new Uint8Array(0);
const chainPlace = { networkID: localChainParams.networkID, blockchainID: localChainParams.blockchainID };

/** Enough for a fee and five parts. */
const smallest = localChainParams.txFee + BigInt(leastAmount) * 10n;

const creation = (index: number, owner: Address): UnsignedTx => ({
  kind: 'CreateAssetTx',
  ...chainPlace,
  inputs: [],
  outputs: [],
  memo: nothing,
  name: Buffer.from(`Asset number ${index}`),
  symbol: Buffer.from(`A${index}`),
  denomination: index % 10,
  initialStates: [
    { fxIndex: 0, outputs: [{ kind: 'secp256k1fx.TransferOutput', amount: 1_000_000_000_000_000_000n, ...ownedBy([owner]) }] },
  ],
});

/** Numbers from 0 to 1 that are always the same (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
