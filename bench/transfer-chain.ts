import { makeBlock } from '../src/avm/tx/block.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import type { Id } from '../src/base/bytes/id.ts';
import type { NewBlock } from '../src/ledger/state/block-change.ts';
import { baseTx, ewoq, ewoqGenesisUtxo, type Key, keyFrom, localChainParams, ownedBy, signDraft, transfer } from '../test/wallet-kit.ts';
import type { ChainStore } from './chain-store.ts';
import { createRandom } from './data-chain.ts';

/** Transactions, and the outputs that they spend. */
type Transfers = { readonly txs: readonly Tx[]; readonly consumed: ReadonlyMap<Id, Utxo> };

/**
 * Transfers with one input and two outputs: an amount for a random address, and the change for the sender. They are valid. Those of one
 * list spend only outputs of earlier lists, so a list can be issued to a chain that has accepted the earlier ones.
 */
type TransferGenerator = {
  /** The first transaction of the chain: gives an output to each of the first senders. */
  readonly split: () => Transfers;
  readonly next: (count: number) => Transfers;
};

/** Who sends what: with `oldest` outputs are spent in the order they were created, with `random` in any order. */
export type TransferKind = { readonly addresses: number; readonly spends: 'oldest' | 'random' };

export function createTransferGenerator({ addresses: addressCount, spends }: TransferKind): TransferGenerator {
  const random = createRandom(1);
  const holders = Array.from({ length: addressCount }, (_, i) => keyFrom(sha256(Buffer.from(`holder ${i}`))));
  const keys = new Map<Address, Key>(holders.map((key) => [key.address, key]));
  const holderAt = (index: number): Key => holders[index % addressCount] as Key;
  const pool: Utxo[] = [];
  let taken = 0;
  const take = (): Utxo => {
    // The outputs before `taken` are spent. A random one changes places with the oldest.
    const at = taken + (spends === 'random' ? Math.floor(random() * (pool.length - taken)) : 0);
    const utxo = pool[at] as Utxo;
    pool[at] = pool[taken] as Utxo;
    taken++;
    return utxo;
  };
  /** A holder other than the sender. */
  const receiverFor = (sender: Key): Key => {
    const at = Math.floor(random() * addressCount);
    return holderAt(holderAt(at) === sender ? at + 1 : at);
  };
  const createTransfer = (utxo: Utxo): Tx => {
    const sender = keys.get(utxo.output.addresses[0] as Address) as Key;
    const sent = transfer(localChainParams.feeAsset, amountOf(utxo) / 2n, ownedBy([receiverFor(sender)]));
    return signDraft(baseTx({ keys: [sender], chainParams: localChainParams }, { utxos: [utxo] }, [sent]));
  };
  return {
    split: () => {
      const amount = amountOf(ewoqGenesisUtxo) / BigInt(splitOutputs + 1);
      const outputs = Array.from({ length: splitOutputs }, (_, i) => transfer(localChainParams.feeAsset, amount, ownedBy([holderAt(i)])));
      const tx = signDraft(baseTx({ keys: [ewoq], chainParams: localChainParams }, { utxos: [ewoqGenesisUtxo] }, outputs));
      pool.push(...effectsOf(tx).created.filter(({ output }) => keys.has(output.addresses[0] as Address)));
      return { txs: [tx], consumed: new Map([[ewoqGenesisUtxo.id, ewoqGenesisUtxo]]) };
    },
    next: (count) => {
      const spent = Array.from({ length: count }, take);
      const txs = spent.map(createTransfer);
      for (const tx of txs) for (const utxo of effectsOf(tx).created) if (amountOf(utxo) >= minSpendable) pool.push(utxo);
      return { txs, consumed: new Map(spent.map((utxo) => [utxo.id, utxo])) };
    },
  };
}

/** Adds blocks to a chain at its genesis, with `txsPerBlock` transfers each after the first one. */
export function growTransferChain(
  { state, ledger }: Pick<ChainStore, 'state' | 'ledger'>,
  blocks: number,
  from: TransferGenerator,
  txsPerBlock = 1,
): void {
  let batch: NewBlock[] = [];
  let parent: Pick<NewBlock['block'], 'id' | 'height' | 'time'> = state.lastAccepted();
  for (let made = 0; made < blocks; made++) {
    const { txs, consumed } = made === 0 ? from.split() : from.next(txsPerBlock);
    const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time: parent.time + secondsPerBlock, txs: [...txs] });
    batch.push({ block, diff: { applied: txs.map((tx) => ({ tx, effects: effectsOf(tx) })), consumed } });
    parent = block;
    if (batch.length * txsPerBlock < txsPerCommit && made + 1 < blocks) continue;
    ledger.accept(batch);
    batch = [];
  }
}

const amountOf = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : 0n);

/** An output is 80 bytes and a transaction at most 64 KiB. */
const splitOutputs = 700;
/** An output that is halved in a transfer must leave more than the fee. */
const minSpendable = 4n * localChainParams.txFee;
const secondsPerBlock = 10n;
const txsPerCommit = 1000;
