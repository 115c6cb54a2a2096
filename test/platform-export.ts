import { ecdsaSign } from 'secp256k1';
import { sha256 } from '../src/bytes/hash.ts';
import { parseHex } from '../src/bytes/hex.ts';
import { idOf, zeroId } from '../src/bytes/id.ts';
import { pack, versionSize } from '../src/codec/pack.ts';
import { Fault } from '../src/fault.ts';
import { type Credential, Credentials } from '../src/tx/credential.ts';
import { UnsignedTx } from '../src/tx/unsigned.ts';
import { makeUtxo, parseUtxo, type Utxo } from '../src/tx/utxo.ts';
import type { Random } from './random.ts';
import { amountUpTo, severalKeys } from './random-world.ts';
import { exportTx, type Key, ownedBy, transfer, type Wallet } from './wallet-kit.ts';

/**
 * An export of the P-Chain to the X-Chain, so that imports have something real to take: the P-Chain's ExportTx has the fields of
 * the X-Chain's in the same order, under another type id. Gives its bytes and the outputs it puts into shared memory.
 */
export function platformExport(wallet: Wallet, pUtxos: readonly string[], random: Random): { bytes: Uint8Array; utxos: Utxo[] } {
  const { feeAsset, blockchainID } = wallet.terms;
  // The P-Chain's fee follows the load; a tenth of an AVAX is plenty, and what is too much is burnt.
  const onP: Wallet = { ...wallet, terms: { ...wallet.terms, blockchainID: zeroId, txFee: 100_000_000n } };
  const owners = () => (random.below(4) === 0 ? ownedBy(severalKeys({ random, wallet }, 3), 2) : ownedBy([random.pick(wallet.keys)]));
  const outputs = Array.from({ length: 200 }, () => transfer(feeAsset, amountUpTo(random, 10_000_000_000n), owners()));
  const { unsigned, signers } = exportTx(onP, { utxos: pUtxos.flatMap(plainUtxo) }, blockchainID, outputs);
  const body = pack(UnsignedTx, unsigned);
  Buffer.from(body.buffer, body.byteOffset).writeUInt32BE(typeIdOnP, versionSize);
  const hash = sha256(body);
  const credentials = signers.map(
    (keys): Credential => ({ kind: 'secp256k1fx.Credential', signatures: keys.map((key) => sign(hash, key)) }),
  );
  const bytes = Buffer.concat([body, pack(Credentials, credentials).subarray(versionSize)]);
  const exported = unsigned.kind === 'ExportTx' ? unsigned.exportedOutputs : [];
  const first = unsigned.outputs.length;
  return { bytes, utxos: exported.map(({ assetID, output }, i) => makeUtxo(idOf(bytes), first + i, assetID, output)) };
}

const typeIdOnP = 0x12;

/** The P-Chain has outputs that the X-Chain's codec does not know: those locked for staking. They are left alone. */
function plainUtxo(text: string): Utxo[] {
  try {
    return [parseUtxo(parseHex('hex', text))];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [];
  }
}

function sign(hash: Uint8Array, { secret }: Key): Uint8Array {
  const { signature, recid } = ecdsaSign(hash, secret);
  return Buffer.concat([signature, Uint8Array.of(recid)]);
}
