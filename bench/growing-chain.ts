import { type Block, makeBlock } from '../src/avm/tx/block.ts';
import type { TransferableOutput } from '../src/avm/tx/output.ts';
import { makeTx, type Tx, unsignedBytes } from '../src/avm/tx/tx.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { addressFromBytes } from '../src/base/bytes/address.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import type { Id } from '../src/base/bytes/id.ts';
import { ewoq, ewoqGenesisUtxo, type Key, keyFrom, localChainParams, transfer } from '../test/wallet-kit.ts';
import { createRandom } from './data-chain.ts';

/** The last block of a chain, on which the next one is built. */
type Parent = Pick<Block, 'id' | 'height' | 'time'>;

/**
 * An endless chain of transfers between addresses that grow in number with it: one input, an amount for another address and the change. A tenth of the
 * transfers pay a new address, the others any known one, and each spends any unspent output: no cache of recent rows helps for long. Only the first
 * transaction of each sender has a valid signature, which is all that `serac index --trust-node` reads; the others have zeros. The same chain every time.
 * Everything is in typed arrays: 10^7 transactions take 0.7 GB. `maxTxs`: their size.
 */
export function createGrowingChain(maxTxs: number) {
  const random = createRandom(1);
  const below = (limit: number): number => Math.floor(random() * limit);
  const maxOutputs = maxTxs + firstOutputs;
  const maxOwners = Math.ceil(maxOutputs / txsPerAddress) + firstOutputs;
  const addresses = new Uint8Array(maxOwners * 20);
  const hasSent = new Uint8Array(maxOwners);
  const ids = Buffer.alloc((maxTxs + 1) * 32);
  /** The unspent outputs. */
  const pool = {
    tx: new Uint32Array(maxOutputs),
    index: new Uint16Array(maxOutputs),
    owner: new Uint32Array(maxOutputs),
    amount: new Float64Array(maxOutputs),
    count: 0,
  };
  let [owners, txs] = [0, 0];

  const keyOf = (owner: number): Key => keyFrom(sha256(Buffer.from(`holder ${owner}`)));
  const addressOf = (owner: number): Address => addressFromBytes(addresses.subarray(owner * 20, owner * 20 + 20));
  const addOwner = (): number => {
    addresses.set(Buffer.from(keyOf(owners).address, 'hex'), owners * 20);
    return owners++;
  };
  const put = (tx: number, index: number, owner: number, amount: number): void => {
    if (amount < minSpendable) return;
    const at = pool.count++;
    [pool.tx[at], pool.index[at], pool.owner[at], pool.amount[at]] = [tx, index, owner, amount];
  };
  const addTx = (tx: Tx): Tx => {
    ids.write(tx.id, txs++ * 32, 'hex');
    return tx;
  };
  const output = (owner: number, amount: number): TransferableOutput =>
    transfer(localChainParams.feeAsset, BigInt(amount), { locktime: 0n, threshold: 1, addresses: [addressOf(owner)] });

  /** Gives an output to each of the first addresses. */
  const split = (): Tx => {
    const amount = Number(amountOf(ewoqGenesisUtxo) / BigInt(firstOutputs + 1));
    for (let owner = 0; owner < firstOutputs; owner++) put(txs, owner, addOwner(), amount - owner);
    // Sorted by amount, as the rules require.
    const outputs = Array.from({ length: firstOutputs }, (_, i) => output(firstOutputs - 1 - i, amount - (firstOutputs - 1 - i)));
    for (let at = 0; at < firstOutputs; at++) pool.index[at] = firstOutputs - 1 - at;
    return addTx(
      signed({ txID: ewoqGenesisUtxo.txID, outputIndex: ewoqGenesisUtxo.outputIndex, amount: amountOf(ewoqGenesisUtxo) }, outputs, ewoq),
    );
  };

  const nextTransfer = (): Tx => {
    const at = below(pool.count);
    const [tx, index, owner, amount] = [pool.tx[at], pool.index[at], pool.owner[at], pool.amount[at]] as [number, number, number, number];
    pool.count--;
    for (const column of [pool.tx, pool.index, pool.owner, pool.amount]) column[at] = column[pool.count] as number;
    const known = below(owners);
    const receiver = txs % txsPerAddress === 0 ? addOwner() : known === owner ? (known + 1) % owners : known;
    const sent = Math.floor(amount / 2);
    const change = amount - sent - Number(localChainParams.txFee);
    const spent = { txID: ids.toString('hex', tx * 32, tx * 32 + 32) as Id, outputIndex: index, amount: BigInt(amount) };
    const key = hasSent[owner] === 1 ? undefined : keyOf(owner);
    hasSent[owner] = 1;
    // The change is less than what is sent, so this is the order that the rules require.
    put(txs, 0, owner, change);
    put(txs, 1, receiver, sent);
    return addTx(signed(spent, [output(owner, change), output(receiver, sent)], key));
  };

  return {
    /** The next block. The first one has a single transaction. */
    nextBlock: ({ id, height, time }: Parent): Block => {
      const list = txs === 0 ? [split()] : Array.from({ length: txsPerBlock }, nextTransfer);
      return makeBlock({ parentID: id, height: height + 1n, time: time + secondsPerBlock, txs: list });
    },
  };
}

type Spent = { readonly txID: Id; readonly outputIndex: number; readonly amount: bigint };

/** A transaction with one input. Without a key its signature is empty. */
function signed({ txID, outputIndex, amount }: Spent, outputs: readonly TransferableOutput[], key: Key | undefined): Tx {
  const { networkID, blockchainID, feeAsset } = localChainParams;
  const input = { kind: 'secp256k1fx.TransferInput' as const, amount, signatureIndices: [0] };
  const unsigned = {
    kind: 'BaseTx' as const,
    networkID,
    blockchainID,
    outputs: [...outputs],
    inputs: [{ txID, outputIndex, assetID: feeAsset, input }],
    memo: new Uint8Array(0),
  };
  const withSignature = (signature: Uint8Array) => makeTx(unsigned, [{ kind: 'secp256k1fx.Credential', signatures: [signature] }]);
  const empty = withSignature(new Uint8Array(65));
  return key === undefined ? empty : withSignature(key.sign(sha256(unsignedBytes(empty))));
}

const amountOf = ({ output }: typeof ewoqGenesisUtxo): bigint => (output as { readonly amount: bigint }).amount;

export const txsPerBlock = 40;
const firstOutputs = 1000;
const txsPerAddress = 10;
const secondsPerBlock = 10n;
/** An output that is halved in a transfer must leave more than the fee. */
const minSpendable = Number(4n * localChainParams.txFee);
