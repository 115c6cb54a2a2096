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
import { type Draft, exportTx, importTx, type Key, ownedBy, transfer, type Wallet } from './wallet-kit.ts';

/*
 * Exports and imports of the P-Chain have the fields of the X-Chain's in the same order, under other type ids.
 */

/** An export to the X-Chain, so that imports there have something real to take: its bytes and the outputs it puts into shared memory. */
export function platformExport(wallet: Wallet, pUtxos: readonly string[], random: Random): { bytes: Uint8Array; utxos: Utxo[] } {
  const { feeAsset, blockchainID } = wallet.terms;
  const onP = walletOnP(wallet);
  const owners = () => (random.below(4) === 0 ? ownedBy(severalKeys({ random, wallet }, 3), 2) : ownedBy([random.pick(wallet.keys)]));
  const outputs = Array.from({ length: 200 }, () => transfer(feeAsset, amountUpTo(random, 10_000_000_000n), owners()));
  const draft = exportTx(onP, { utxos: pUtxos.flatMap(plainUtxo) }, blockchainID, outputs);
  const { unsigned } = draft;
  const bytes = signedOnP(draft, typeIdsOnP.ExportTx);
  const exported = unsigned.kind === 'ExportTx' ? unsigned.exportedOutputs : [];
  const first = unsigned.outputs.length;
  return { bytes, utxos: exported.map(({ assetID, output }, i) => makeUtxo(idOf(bytes), first + i, assetID, output)) };
}

/** An import of the P-Chain that takes what the X-Chain exported to it: its bytes. The fee comes out of what it takes. */
export const platformImport = (wallet: Wallet, taken: readonly Utxo[]): Uint8Array =>
  signedOnP(importTx(walletOnP(wallet), { utxos: [] }, wallet.terms.blockchainID, taken), typeIdsOnP.ImportTx);

const typeIdsOnP = { ImportTx: 0x11, ExportTx: 0x12 } as const;

/** The P-Chain's fee follows the load; a tenth of an AVAX is plenty, and what is too much is burnt. */
const walletOnP = (wallet: Wallet): Wallet => ({ ...wallet, terms: { ...wallet.terms, blockchainID: zeroId, txFee: 100_000_000n } });

function signedOnP({ unsigned, signers }: Draft, typeId: number): Uint8Array {
  const body = pack(UnsignedTx, unsigned);
  Buffer.from(body.buffer, body.byteOffset).writeUInt32BE(typeId, versionSize);
  const hash = sha256(body);
  const credentials = signers.map(
    (keys): Credential => ({ kind: 'secp256k1fx.Credential', signatures: keys.map((key) => sign(hash, key)) }),
  );
  return Buffer.concat([body, pack(Credentials, credentials).subarray(versionSize)]);
}

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
