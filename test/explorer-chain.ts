import type { Tx } from '../src/avm/tx/tx.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { idText } from '../src/base/bytes/id.ts';
import { outputOf } from './dev-node.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

const wallet = createWallet('explorer', { keys: [ewoq], count: 3 });
export const [, ann, bob, carl] = wallet.keys as [Key, Key, Key, Key];
const avax = localChainParams.feeAsset;
export const avaxText = idText(avax);
export const coin = 1_000_000_000n;
export const plain = createAddressFormatter('X', 'local');
export const shown = (key: Key) => plain(key.address).slice(2);

/** Ann has three outputs, and two outputs have several owners. */
export const split = signDraft(
  baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [
    ...[10n, 11n, 12n].map((amount) => transfer(avax, amount * coin, ownedBy([ann]))),
    transfer(avax, 5n * coin, ownedBy([ann, bob], 2)),
    transfer(avax, 6n * coin, ownedBy([ann, carl], 1)),
  ]),
);
export const outputs = Array.from({ length: 6 }, (_, i) => outputOf(split, i));
export const own = outputs.filter(({ output }) => output.addresses.length === 1 && output.addresses[0] === ann.address);
const pay = (i: number, to: Key) =>
  signDraft(baseTx(wallet, { utxos: [own[i] as (typeof own)[0]] }, [transfer(avax, coin, ownedBy([to]))]));
export const [first, second, rival] = [pay(0, bob), pay(1, bob), pay(0, carl)] as [Tx, Tx, Tx];

/** A transfer of the output that `split` consumes. */
export const ewoqTwice = () => signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(avax, 7n, ownedBy([carl]))]));
