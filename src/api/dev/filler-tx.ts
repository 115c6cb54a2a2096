import type { Tx } from '../../avm/tx/tx.ts';
import { parseUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Key } from '../../avm/wallet/key.ts';
import { baseTx } from '../../avm/wallet/transactions.ts';
import { type ChainParams, findSigners, ownedBy, signDraft, transfer } from '../../avm/wallet/wallet.ts';
import { zeroAddress } from '../../base/bytes/address.ts';
import { checksumLength } from '../../base/bytes/hash.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import type { AddressUtxoCursor, ReadUtxoPage } from '../rpc/utxo-query.ts';
import { DevError } from './fault.ts';

type FillerDeps = {
  readonly chainParams: ChainParams;
  readonly utxos: ReadUtxoPage;
  readonly formatAddress: (address: Key['address']) => string;
  /** Unix seconds of the chain's clock. */
  readonly now: () => bigint;
};

/** Who pays for a filler, which output is taken, and what is written into it. */
type Filler = {
  readonly key: Key;
  /** IDs of outputs that other transactions are about to spend. */
  readonly avoided?: ReadonlySet<Id>;
  readonly memo?: string;
};

/**
 * Builds the transaction of a mined block that would be empty, since empty blocks are invalid: an account, usually account 0, sends one of its
 * outputs to itself and pays the fee. The output of the last filler is the newest and therefore found first.
 */
export function createFillerTx(deps: FillerDeps, filler: Filler): Tx {
  const { chainParams, now } = deps;
  const { key, memo = '' } = filler;
  const { feeAsset, txFee } = chainParams;
  const { utxo, amount } = findPayment(deps, filler);
  const funds = { utxos: [utxo], now: now(), memo: new TextEncoder().encode(memo) };
  return signDraft(baseTx({ keys: [key], chainParams }, funds, [transfer(feeAsset, amount - txFee, ownedBy([key]))]));
}

/** The filler of a replaced block: from the first account with an output that is not avoided, else from account 0. */
export function createReorgFiller(
  accounts: readonly [{ readonly key: Key }, ...{ readonly key: Key }[]],
  deps: FillerDeps,
  { memo, avoided }: { readonly memo: string; readonly avoided: ReadonlySet<Id> },
): Tx {
  for (const { key } of accounts)
    try {
      return createFillerTx(deps, { key, avoided, memo });
    } catch (error) {
      if (!(error instanceof DevError)) throw error;
    }
  return createFillerTx(deps, { key: accounts[0].key, memo });
}

type Payment = { readonly utxo: Utxo; readonly amount: bigint };

const pageSize = 1024;
/** Pages of outputs that are searched for one that can pay the fee. */
const maxPages = 16;

function findPayment(deps: FillerDeps, filler: Filler): Payment {
  const { chainParams, utxos, formatAddress } = deps;
  const { key } = filler;
  let start: AddressUtxoCursor = { address: zeroAddress, utxoID: zeroId };
  for (let i = 0; i < maxPages; i++) {
    const page = utxos(chainParams.blockchainID, [key.address], start, pageSize);
    for (const bytes of page.utxos) {
      const payment = paymentOf(parseUtxo(bytes.subarray(0, -checksumLength)), deps, filler);
      if (payment !== undefined) return payment;
    }
    if (page.utxos.length < pageSize) break;
    start = page.end;
  }
  const shown = formatAddress(key.address);
  throw new DevError(
    `there is no transaction to mine, and account 0 (${shown}) has no unlocked output above the fee of ${chainParams.txFee} nAVAX for a filler transaction; issue a transaction first, or send AVAX to account 0`,
    { code: 'DEV_NO_FILLER_FUNDS', address: shown, need: String(chainParams.txFee + 1n) },
  );
}

/** An output that the account owns alone and that is larger than the fee; undefined for any other. */
function paymentOf(utxo: Utxo, { chainParams, now }: FillerDeps, { key, avoided }: Filler): Payment | undefined {
  const { assetID, output } = utxo;
  if (avoided?.has(utxo.id)) return undefined;
  if (assetID !== chainParams.feeAsset || output.kind !== 'secp256k1fx.TransferOutput') return undefined;
  const isOwnedAlone = output.addresses.length === 1 && findSigners({ keys: [key] }, utxo, now()) !== undefined;
  return isOwnedAlone && output.amount > chainParams.txFee ? { utxo, amount: output.amount } : undefined;
}
