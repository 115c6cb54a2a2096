import { type Id, idText } from '../../base/bytes/id.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import type { TransferableInput } from '../tx/input.ts';
import { type OutputOwners, TransferableOutput } from '../tx/output.ts';
import type { BaseTx } from '../tx/unsigned.ts';
import type { Utxo } from '../tx/utxo.ts';
import { WalletError } from './fault.ts';
import type { Key } from './key.ts';
import { findSigners, ownedBy, requireSigners, sortByBytes, transfer, type Wallet } from './wallet.ts';

/** Outputs that pay for a transaction (used in this order, as many as needed) and the owner of the change; by default the first key. */
export type Funds = {
  readonly utxos: readonly Utxo[];
  readonly change?: OutputOwners;
  readonly memo?: Uint8Array;
  /** Unix seconds; outputs locked until later are not used. */
  readonly now?: bigint;
};

type SignedInput = { readonly input: TransferableInput; readonly keys: readonly Key[] };

/** Selects inputs for the amounts that are sent and for the fee. The outputs of `base` are only the change. */
export function fund(
  wallet: Wallet,
  funds: Funds,
  sent: readonly TransferableOutput[],
  fee: bigint,
): { readonly base: BaseTx; readonly signers: (readonly Key[])[] } {
  const { networkID, blockchainID } = wallet.chainParams;
  const needed = sumNeeded(wallet, sent, fee);
  const missing = new Map(needed);
  const taken: SignedInput[] = [];
  for (const utxo of funds.utxos) {
    const amount = missing.get(utxo.assetID) ?? 0n;
    if (amount <= 0n || utxo.output.kind !== 'secp256k1fx.TransferOutput') continue;
    if (findSigners(wallet, utxo, funds.now) === undefined) continue;
    taken.push(inputFor(wallet, utxo, funds.now));
    missing.set(utxo.assetID, amount - utxo.output.amount);
  }
  for (const [assetID, amount] of missing) if (amount > 0n) throw insufficientFunds(assetID, needed.get(assetID) ?? 0n, amount);
  const to = funds.change ?? changeOwners(wallet);
  const change = [...missing].filter(([, amount]) => amount < 0n).map(([assetID, amount]) => transfer(assetID, -amount, to));
  taken.sort(byReference);
  return {
    base: {
      networkID,
      blockchainID,
      outputs: sortByBytes(TransferableOutput, change),
      inputs: taken.map(({ input }) => input),
      memo: funds.memo ?? new Uint8Array(0),
    },
    signers: taken.map(({ keys }) => keys),
  };
}

/** The amounts by asset that inputs must cover: what is sent, and the fee. */
export function sumNeeded({ chainParams }: Pick<Wallet, 'chainParams'>, sent: readonly TransferableOutput[], fee: bigint): Map<Id, bigint> {
  const needed = new Map<Id, bigint>([[chainParams.feeAsset, fee]]);
  for (const { assetID, output } of sent) needed.set(assetID, (needed.get(assetID) ?? 0n) + output.amount);
  return needed;
}

/** The input that spends an output. */
export function inputFor(wallet: Wallet, utxo: Utxo, now: bigint | undefined): SignedInput {
  const { txID, outputIndex, assetID, output } = utxo;
  if (output.kind !== 'secp256k1fx.TransferOutput')
    throw new WalletError(`output ${idText(utxo.id)} is a ${output.kind}, which cannot be an input`, {
      code: 'WALLET_WRONG_OUTPUT',
      utxoID: idText(utxo.id),
      kind: output.kind,
    });
  const { indices, keys } = requireSigners(wallet, utxo, now);
  const input = { kind: 'secp256k1fx.TransferInput' as const, amount: output.amount, signatureIndices: indices };
  return { input: { txID, outputIndex, assetID, input }, keys };
}

export const changeOwners = ({ keys }: Wallet): OutputOwners => ownedBy(keys.slice(0, 1));

/** Orders inputs by the output they spend, as the rules require. */
export const byReference = (a: SignedInput, b: SignedInput): number =>
  compareHex(a.input.txID, b.input.txID) || a.input.outputIndex - b.input.outputIndex;

const insufficientFunds = (asset: Id, need: bigint, missing: bigint) => {
  const [assetID, have] = [idText(asset), need - missing];
  return new WalletError(`not enough funds: have ${have} of asset ${assetID}, need ${need}`, {
    code: 'WALLET_INSUFFICIENT_FUNDS',
    assetID,
    have: have.toString(),
    need: need.toString(),
  });
};
