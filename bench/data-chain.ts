import { nativeKeyCrypto } from '../src/app/platform/key-crypto.ts';
import { type Block, makeBlock } from '../src/avm/tx/block.ts';
import { type Effects, effectsOf } from '../src/avm/tx/effects.ts';
import type { TransferableInput } from '../src/avm/tx/input.ts';
import type { OutputOwners, TransferableOutput } from '../src/avm/tx/output.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { UnsignedTx } from '../src/avm/tx/unsigned.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import type { Id } from '../src/base/bytes/id.ts';
import type { PublicKeyOf } from '../src/ledger/index-write/block-writer.ts';
import type { NewBlock } from '../src/ledger/state/block-change.ts';
import { ewoq, ewoqGenesisUtxo, type Key, keyFrom, localChainParams, ownedBy, sign, transfer } from '../test/wallet-kit.ts';

/**
 * An endless generator of blocks like those of a busy chain: transfers with one or two inputs, mostly to two of many addresses, a tenth of
 * them with other assets than AVAX. One address, the hot address, receives every twentieth output and spends few of them. Each transaction
 * adds one unspent output on average. Transactions are signed but not verified: the benchmark measures storing and finding them.
 */
type ChainGenerator = {
  readonly hotAddress: Address;
  /** The asset of half of the asset transfers; defined after the first block. */
  readonly busyAsset: () => Id;
  readonly nextBlock: (parent: Pick<Block, 'id' | 'height'>, time: bigint, txs: number) => NewBlock;
};

/** The smallest amount of any generated output. */
export const minAmount = 20_000;

export const addressAt = (index: number): Address => createHolderKey(index).address;

/** The public keys of all signers of a generated chain. */
export function createHolderKeys(addressCount: number): PublicKeyOf {
  const names = [...Array.from({ length: addressCount }, (_, i) => i), 'hot' as const];
  const secrets = new Map([ewoq, ...names.map(createHolderKey)].map(({ address, secret }) => [address, secret]));
  return (address) => {
    const secret = secrets.get(address);
    return secret && nativeKeyCrypto.publicKey(secret);
  };
}

const createHolderKey = (name: number | 'hot'): Key => keyFrom(sha256(Buffer.from(`holder ${name}`)));

export function createChainGenerator(seed: number, addressCount: number): ChainGenerator {
  const random = createRandom(seed);
  const randomBelow = (limit: number): number => Math.floor(random() * limit);
  const holders = Array.from({ length: addressCount }, (_, i) => createHolderKey(i));
  const hot = createHolderKey('hot');
  const keys = new Map([...holders, hot, ewoq].map((key) => [key.address, key]));
  const anyAddress = (): Address => (holders[randomBelow(addressCount)] as Key).address;
  const coins = createOutputPool(randomBelow);
  const assets: { readonly id: Id; readonly pool: OutputPool }[] = [];
  let consumed = new Map<Id, Utxo>();
  /** The signers of each input of the transaction being created. */
  let signers: Key[][] = [];
  coins.put(ewoqGenesisUtxo);

  const anyOwner = (): OutputOwners => {
    const chance = random();
    if (chance < 0.055) return ownedBy([hot]);
    return chance < 0.065 ? ownedBy([...new Set([anyAddress(), anyAddress()])]) : ownedBy([anyAddress()]);
  };

  const splitAmount = (assetID: Id, amount: bigint, count: number): TransferableOutput[] => {
    const even = amount / BigInt(count);
    let rest = amount;
    return Array.from({ length: count }, (_, i) => {
      const part = i === count - 1 ? rest : (even * BigInt(500 + randomBelow(500))) / 1000n;
      rest -= part;
      return transfer(assetID, part, anyOwner());
    });
  };

  const take = (pool: OutputPool): { readonly input: TransferableInput; readonly amount: bigint } => {
    const utxo = pool.take();
    consumed.set(utxo.id, utxo);
    const { txID, outputIndex, assetID, output } = utxo;
    signers.push([keys.get(output.addresses[0] as Address) as Key]);
    const amount = 'amount' in output ? output.amount : 0n;
    return { input: { txID, outputIndex, assetID, input: { kind: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] } }, amount };
  };

  const createBaseTx = (inputs: readonly TransferableInput[], outputs: TransferableOutput[]): UnsignedTx => ({
    kind: 'BaseTx',
    ...chainIds,
    inputs: [...inputs],
    outputs,
    memo: emptyMemo,
  });
  /** A transfer of AVAX only. */
  const createPayment = (count: number, outputs: number): UnsignedTx => {
    const taken = Array.from({ length: count }, () => take(coins));
    const amount = taken.reduce((sum, one) => sum + one.amount, -localChainParams.txFee);
    return createBaseTx(
      taken.map(({ input }) => input),
      splitAmount(localChainParams.feeAsset, amount, outputs),
    );
  };
  const createAssetTransfer = ({ id, pool }: (typeof assets)[number]): UnsignedTx => {
    const [coin, sent] = [take(coins), take(pool)];
    const change = transfer(localChainParams.feeAsset, coin.amount - localChainParams.txFee, anyOwner());
    return createBaseTx([coin.input, sent.input], [...splitAmount(id, sent.amount, 2), change]);
  };

  const createUnsignedTx = (): UnsignedTx => {
    if (assets.length < assetCount) return createAssetTx(assets.length, anyAddress());
    // At the beginning, split the few outputs into more.
    if (coins.size() < 2000) return createPayment(1, 4);
    const chance = random();
    if (chance < 0.1) {
      const sent = assets[random() < 0.5 ? 0 : randomBelow(assetCount)];
      if (sent !== undefined && sent.pool.size() > 0) return createAssetTransfer(sent);
    }
    if (chance < 0.3) return createPayment(2, 2);
    return chance < 0.92 ? createPayment(1, 2) : createPayment(1, 4 + randomBelow(2));
  };

  const createTx = (): { tx: Tx; effects: Effects } => {
    signers = [];
    const made = createUnsignedTx();
    const tx = sign(made, signers);
    const effects = effectsOf(tx);
    if (made.kind === 'CreateAssetTx') assets.push({ id: tx.id, pool: createOutputPool(randomBelow) });
    for (const utxo of effects.created) {
      const { assetID, output } = utxo;
      if (output.addresses[0] === hot.address && random() > 0.1) continue;
      if (!('amount' in output) || output.amount < minSpendable) continue;
      const pool = assetID === localChainParams.feeAsset ? coins : assets.find(({ id }) => id === assetID)?.pool;
      pool?.put(utxo);
    }
    return { tx, effects };
  };

  return {
    hotAddress: hot.address,
    busyAsset: () => assets[0]?.id as Id,
    nextBlock: (parent, time, txs) => {
      consumed = new Map();
      const applied = Array.from({ length: txs }, createTx);
      const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time, txs: applied.map(({ tx }) => tx) });
      return { block, diff: { applied, consumed } };
    },
  };
}

/** A pool from which random outputs are spent. When it is full, a new output replaces another one, which then stays unspent. */
type OutputPool = { readonly size: () => number; readonly put: (utxo: Utxo) => void; readonly take: () => Utxo };

function createOutputPool(randomBelow: (limit: number) => number): OutputPool {
  const utxos: Utxo[] = [];
  return {
    size: () => utxos.length,
    put: (utxo) => {
      if (utxos.length < poolSize) utxos.push(utxo);
      else utxos[randomBelow(poolSize)] = utxo;
    },
    take: () => {
      const at = randomBelow(utxos.length);
      const taken = utxos[at] as Utxo;
      utxos[at] = utxos.at(-1) as Utxo;
      utxos.pop();
      return taken;
    },
  };
}

const poolSize = 100_000;
const assetCount = 16;

const emptyMemo = new Uint8Array(0);
const chainIds = { networkID: localChainParams.networkID, blockchainID: localChainParams.blockchainID };

/** The smallest output to spend: enough for the fee and five outputs. */
const minSpendable = localChainParams.txFee + BigInt(minAmount) * 10n;

const createAssetTx = (index: number, owner: Address): UnsignedTx => ({
  kind: 'CreateAssetTx',
  ...chainIds,
  inputs: [],
  outputs: [],
  memo: emptyMemo,
  name: Buffer.from(`Asset number ${index}`),
  symbol: Buffer.from(`A${index}`),
  denomination: index % 10,
  initialStates: [
    { fxIndex: 0, outputs: [{ kind: 'secp256k1fx.TransferOutput', amount: 1_000_000_000_000_000_000n, ...ownedBy([owner]) }] },
  ],
});

/** A pseudo-random number generator from 0 to 1 (mulberry32): the same seed gives the same numbers. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
