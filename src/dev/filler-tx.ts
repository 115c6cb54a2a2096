import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Address } from '../bytes/address.ts';
import { checksumLength, sha256 } from '../bytes/hash.ts';
import { type Id, zeroId } from '../bytes/id.ts';
import type { ReadUtxoPage } from '../rpc/utxo-query.ts';
import { makeTx, type Tx, unsignedBytes } from '../tx/tx.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import { parseUtxo, type Utxo } from '../tx/utxo.ts';
import { DevError } from './fault.ts';

export type FillerDeps = {
  readonly networkID: number;
  readonly chainID: Id;
  readonly feeAsset: Id;
  readonly txFee: bigint;
  /** Account 0: its private key and address. */
  readonly account: { readonly key: Uint8Array; readonly address: Address };
  readonly utxos: ReadUtxoPage;
  readonly formatAddress: (address: Address) => string;
  /** Unix seconds of the chain's clock. */
  readonly now: () => bigint;
};

/**
 * Builds the transaction of a mined block that would be empty, since empty blocks are invalid: account 0 sends one of its outputs to itself
 * and pays the fee. The output of the last filler is the newest and therefore found first.
 */
export function createFillerTx(deps: FillerDeps): Tx {
  const utxo = findSpendable(deps);
  const { account, txFee, feeAsset } = deps;
  const { amount } = utxo.output as TransferOutput;
  const unsigned: UnsignedTx = {
    kind: 'BaseTx',
    networkID: deps.networkID,
    blockchainID: deps.chainID,
    outputs: [
      {
        assetID: feeAsset,
        output: {
          kind: 'secp256k1fx.TransferOutput',
          amount: amount - txFee,
          locktime: 0n,
          threshold: 1,
          addresses: [account.address],
        },
      },
    ],
    inputs: [
      {
        txID: utxo.txID,
        outputIndex: utxo.outputIndex,
        assetID: feeAsset,
        input: { kind: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] },
      },
    ],
    memo: new Uint8Array(0),
  };
  const signature = sign(unsignedBytes(makeTx(unsigned, [])), account.key);
  return makeTx(unsigned, [{ kind: 'secp256k1fx.Credential', signatures: [signature] }]);
}

type TransferOutput = Extract<Utxo['output'], { kind: 'secp256k1fx.TransferOutput' }>;

const pageSize = 1024;
/** Pages of outputs that are searched for one that can pay the fee. */
const maxPages = 16;

function findSpendable(deps: FillerDeps): Utxo {
  const { address } = deps.account;
  let start = { address, utxoID: zeroId };
  for (let i = 0; i < maxPages; i++) {
    const page = deps.utxos(deps.chainID, [address], start, pageSize);
    for (const bytes of page.utxos) {
      const utxo = parseUtxo(bytes.subarray(0, bytes.length - checksumLength));
      if (isSpendable(utxo, deps)) return utxo;
    }
    if (page.utxos.length < pageSize) break;
    start = page.end;
  }
  const shown = deps.formatAddress(address);
  throw new DevError(
    `there is no transaction to mine, and account 0 (${shown}) has no unlocked output above the fee of ${deps.txFee} nAVAX for a filler transaction; issue a transaction first, or send AVAX to account 0`,
    { code: 'DEV_NO_FILLER_FUNDS', address: shown, need: String(deps.txFee + 1n) },
  );
}

const isSpendable = ({ assetID, output }: Utxo, { feeAsset, txFee, now }: FillerDeps): boolean =>
  assetID === feeAsset &&
  output.kind === 'secp256k1fx.TransferOutput' &&
  output.amount > txFee &&
  output.threshold === 1 &&
  output.addresses.length === 1 &&
  output.locktime <= now();

/** A signature as the X-Chain encodes it: r, s and the recovery ID. */
function sign(message: Uint8Array, key: Uint8Array): Uint8Array {
  const recovered = secp256k1.sign(sha256(message), key, { prehash: false, format: 'recovered' });
  return Uint8Array.from([...recovered.subarray(1), recovered[0] as number]);
}
