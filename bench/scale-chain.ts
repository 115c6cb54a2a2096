import { type Block, makeBlock } from '../src/avm/tx/block.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { type Address, addressFromBytes } from '../src/base/bytes/address.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import type { Id } from '../src/base/bytes/id.ts';
import type { NewBlock } from '../src/ledger/state/block-change.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, ownedBy, signDraft, transfer } from '../test/wallet-kit.ts';

/** Each block has one transaction, which creates this many outputs beside its change. */
export const utxosPerBlock = 10;

/** IDs and addresses to query, spread over the whole chain so that no cache holds the responses. */
export type ChainSample = {
  readonly txIDs: readonly Id[];
  readonly blockIDs: readonly Id[];
  readonly heights: readonly bigint[];
  /** Addresses that own ten outputs each, whatever the size of the chain. */
  readonly addresses: readonly Address[];
  /** Owns half of all outputs. */
  readonly hotAddress: Address;
  /** Outputs of the hot address, used as page cursors. */
  readonly hotUtxos: readonly Id[];
  /** The output that holds the rest of ewoq's genesis balance. */
  readonly change: Utxo;
};

/** A generator of valid, signed blocks that follow the genesis of the local network; `sample` after the last one. */
type ScaleGenerator = {
  readonly nextBlock: (parent: Pick<Block, 'id' | 'height' | 'time'>) => NewBlock;
  readonly sample: () => ChainSample;
};

export function createScaleGenerator(blocks: number): ScaleGenerator {
  const wallet = createWallet('scale', { count: 1, keys: [ewoq] });
  const hotAddress = addressFromBytes(sha256(Buffer.from('hot')).subarray(0, 20));
  const ordinary = Array.from({ length: (blocks * utxosPerBlock) / 2 / 10 }, (_, i) => addressAt(i));
  const step = Math.max(1, Math.floor(blocks / sampleSize));
  const taken = { txIDs: [] as Id[], blockIDs: [] as Id[], heights: [] as bigint[], hotUtxos: [] as Id[] };
  let change = ewoqGenesisUtxo;
  let next = 0;
  let made = 0;

  const grow = (): Tx => {
    const outputs = Array.from({ length: utxosPerBlock }, (_, i) => {
      const to = i % 2 === 0 ? hotAddress : (ordinary[next++ % ordinary.length] as Address);
      return transfer(wallet.chainParams.feeAsset, BigInt(1000 + i), ownedBy([to]));
    });
    return signDraft(baseTx(wallet, { utxos: [change] }, outputs));
  };
  const takeSample = (block: Block, created: readonly Utxo[]): void => {
    taken.txIDs.push((block.txs[0] as Tx).id);
    taken.blockIDs.push(block.id);
    taken.heights.push(block.height);
    taken.hotUtxos.push((created.find(({ output }) => output.addresses[0] === hotAddress) as Utxo).id);
  };

  return {
    nextBlock: (parent) => {
      const tx = grow();
      const effects = effectsOf(tx);
      const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time: parent.time + 1n, txs: [tx] });
      const diff = { applied: [{ tx, effects }], consumed: new Map([[change.id, change]]) };
      change = effects.created.find(({ output }) => output.addresses[0] === ewoq.address) as Utxo;
      if (made++ % step === 0) takeSample(block, effects.created);
      return { block, diff };
    },
    sample: () => {
      const addresses = ordinary.filter((_, i) => i % Math.max(1, Math.floor(ordinary.length / sampleSize)) === 0);
      return { ...taken, addresses, hotAddress, change };
    },
  };
}

/** The number of transactions, blocks and addresses in a sample. */
const sampleSize = 1000;

const addressAt = (index: number): Address => addressFromBytes(sha256(Buffer.from(`address ${index}`)).subarray(0, 20));
