import { ecdsaSign } from 'secp256k1';
import { type Credential, Credentials } from '../src/avm/tx/credential.ts';
import { UnsignedTx } from '../src/avm/tx/unsigned.ts';
import { makeUtxo, parseUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import { parseHex } from '../src/base/bytes/hex.ts';
import { idOf, zeroId } from '../src/base/bytes/id.ts';
import { pack, versionSize } from '../src/base/codec/pack.ts';
import { Fault } from '../src/base/fault.ts';
import type { Random } from './random.ts';
import { pickKeys, randomAmount } from './random-world.ts';
import { type Draft, exportTx, importTx, type Key, ownedBy, transfer, type Wallet } from './wallet-kit.ts';

// Export and import transactions of the P-Chain have the fields of the X-Chain's in the same order, but other type IDs.

/** Creates a P-Chain export to the X-Chain. Returns its bytes and the outputs it puts into shared memory. */
export function platformExport(wallet: Wallet, pUtxos: readonly string[], random: Random): { bytes: Uint8Array; utxos: Utxo[] } {
  const { feeAsset, blockchainID } = wallet.chainParams;
  const onP = walletOnP(wallet);
  const owners = () => (random.below(4) === 0 ? ownedBy(pickKeys({ random, wallet }, 3), 2) : ownedBy([random.pick(wallet.keys)]));
  const outputs = Array.from({ length: 200 }, () => transfer(feeAsset, randomAmount(random, 10_000_000_000n), owners()));
  const draft = exportTx(onP, { utxos: pUtxos.flatMap(plainUtxo) }, blockchainID, outputs);
  const { unsigned } = draft;
  const bytes = signedOnP(draft, typeIdsOnP.ExportTx);
  const exported = unsigned.kind === 'ExportTx' ? unsigned.exportedOutputs : [];
  const first = unsigned.outputs.length;
  return { bytes, utxos: exported.map(({ assetID, output }, i) => makeUtxo(idOf(bytes), first + i, assetID, output)) };
}

/** Returns the bytes of a P-Chain import of outputs that the X-Chain exported. The fee is paid from them. */
export const platformImport = (wallet: Wallet, imported: readonly Utxo[]): Uint8Array =>
  signedOnP(importTx(walletOnP(wallet), { utxos: [] }, wallet.chainParams.blockchainID, imported), typeIdsOnP.ImportTx);

const typeIdsOnP = { ImportTx: 0x11, ExportTx: 0x12 } as const;

/** The P-Chain's fee depends on the load; 0.1 AVAX is enough, and the excess is burned. */
const walletOnP = (wallet: Wallet): Wallet => ({
  ...wallet,
  chainParams: { ...wallet.chainParams, blockchainID: zeroId, txFee: 100_000_000n },
});

function signedOnP({ unsigned, signers }: Draft, typeId: number): Uint8Array {
  const body = pack(UnsignedTx, unsigned);
  Buffer.from(body.buffer, body.byteOffset).writeUInt32BE(typeId, versionSize);
  const hash = sha256(body);
  const credentials = signers.map(
    (keys): Credential => ({ kind: 'secp256k1fx.Credential', signatures: keys.map((key) => sign(hash, key)) }),
  );
  return Buffer.concat([body, pack(Credentials, credentials).subarray(versionSize)]);
}

/** Skips outputs locked for staking, which the X-Chain's codec does not know. */
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
