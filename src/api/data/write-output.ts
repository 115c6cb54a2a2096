import { nftMintType, nftPayload, nftTransferType, ownersFields, readU32 } from '../../avm/tx/output-layout.ts';
import { type Address, addressLength } from '../../base/bytes/address.ts';
import { sha256Into } from '../../base/bytes/hash.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import { idLength } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { outputKindOf } from '../../ledger/index/output-amount.ts';
import type { OutputEntry, SpendInfo } from '../../ledger/index-read/index-reads.ts';
import type { OutputClass } from '../../ledger/state/balance.ts';
import { outputType, ownersAt, type StoredUtxo, utxoFields } from '../../ledger/state/stored-utxo.ts';
import type { JsonBytes } from './json-bytes.ts';
import { chainTexts, type RenderContext } from './render-context.ts';
import { writeCredentials } from './write-credentials.ts';

/**
 * Writes the JSON of an output from its bytes, which must be verified. No text in it needs escaping except in asset labels.
 * `renderUtxos` in render-utxo.fixture.ts is the plain form.
 */
export function writeOutput(json: JsonBytes, entry: OutputEntry, context: RenderContext): void {
  const { stored, spent, createdOn, consumedOn } = entry;
  const owners = ownersAt(stored);
  const locktime = readU64(stored, owners);
  // An output that is known from its import only; see avm/tx/incomplete-utxo.ts.
  const isIncomplete = locktime === maxU64 && spent?.layout !== undefined;
  json.ascii('{"utxoId":"');
  writeOutputID(json, stored);
  json.ascii('","creationTxHash":"');
  json.id(stored, utxoFields.txID);
  json.ascii('","outputIndex":"');
  json.number(readU32(stored, utxoFields.outputIndex));
  json.ascii('","timestamp":');
  json.number(entry.time);
  writeAmount(json, stored, context);
  writeOwners(json, entry, owners, isIncomplete ? 0 : locktime, context);
  if (isIncomplete) json.ascii('"isIncomplete":true');
  else {
    json.ascii('"utxoBytes":"0x');
    json.hex(stored, 0, stored.length);
    json.ascii('"');
  }
  writeGroup(json, stored);
  if (spent !== undefined) writeSpent(json, stored, spent, isIncomplete ? undefined : owners, context);
  else if (context.mayBeImported && createdOn !== consumedOn) json.ascii(',"mayBeImported":true');
  json.ascii('}');
}

function writeOutputID(json: JsonBytes, stored: StoredUtxo): void {
  for (let i = 0; i < 4; i++) hashedRef[4 + i] = stored[utxoFields.outputIndex + i] as number;
  for (let i = 0; i < idLength; i++) hashedRef[8 + i] = stored[utxoFields.txID + i] as number;
  sha256Into(hashedRef, outputID);
  json.id(outputID, 0);
}

/** Output index as u64, then transaction ID; see `utxoId`. */
const hashedRef = new Uint8Array(8 + idLength);
const outputID = new Uint8Array(idLength);

/** Type, asset and amount. The text ends with the digits of the amount; `writeOwners` closes the quote and the object. */
function writeAmount(json: JsonBytes, stored: StoredUtxo, { assetTexts }: RenderContext): void {
  const asset = assetTexts(stored, utxoFields.assetID);
  const { class: counted, type } = outputKindOf(stored);
  json.ascii(counted === 'mint' ? ',"utxoType":"mint","asset":' : ',"utxoType":"transfer","asset":');
  json.bytes(type === 'nft' ? asset.nfts : asset.units);
  json.number(amountOf(stored, counted));
}

/** The end of the amount, then owners, threshold, lock time and chains, up to the next property. `owners`: where they begin. */
function writeOwners(json: JsonBytes, entry: OutputEntry, owners: number, locktime: number | bigint, context: RenderContext): void {
  const { stored, createdOn, consumedOn } = entry;
  const threshold = readU32(stored, owners + ownersFields.threshold);
  const count = readU32(stored, owners + ownersFields.count);
  json.ascii('"},"addresses":[');
  for (let i = 0; i < count; i++) {
    json.ascii(i === 0 ? '"' : ',"');
    json.ascii(context.formatAddress(toHexAt(stored, owners + ownersFields.addresses + addressLength * i, addressLength) as Address));
    json.ascii('"');
  }
  json.ascii('],"threshold":');
  json.number(threshold);
  json.ascii(',"locktime":');
  json.number(locktime);
  const isOwn = createdOn === context.chainID && consumedOn === context.chainID;
  json.ascii(isOwn ? context.ownChainTexts : chainTexts(createdOn, consumedOn));
}

/** The group of an NFT or of its mint output; of an NFT then its payload. */
function writeGroup(json: JsonBytes, stored: StoredUtxo): void {
  const type = outputType(stored);
  if (type !== nftMintType && type !== nftTransferType) return;
  json.ascii(',"groupId":');
  json.number(readU32(stored, utxoFields.output));
  if (type === nftMintType) return;
  json.ascii(',"payload":"0x');
  const start = utxoFields.output + nftPayload;
  json.hex(stored, start, start + readU32(stored, start - 4));
  json.ascii('"');
}

/** What consumed an output. `owners`: where the owners of the output begin; undefined if their order is unknown. */
function writeSpent(json: JsonBytes, stored: StoredUtxo, spent: SpendInfo, owners: number | undefined, context: RenderContext): void {
  if (spent.id !== undefined) {
    json.ascii(',"consumingTxHash":"');
    json.id(spent.id, 0);
    json.ascii('"');
  }
  json.ascii(',"consumingTxTimestamp":');
  json.number(spent.time);
  if (spent.layout === undefined) return;
  json.ascii(',"credentials":[');
  writeCredentials(json, spent, stored, owners, context);
  json.ascii(']');
}

/** The amount that is shown of an output: its units, 1 of an NFT or a property, 0 of a mint output. */
export const amountOf = (stored: StoredUtxo, counted: OutputClass): number | bigint =>
  counted === 'amount' ? readU64(stored, utxoFields.output) : counted === 'nft' ? 1 : 0;

/** A u64, as a number if that is exact. */
export function readU64(bytes: Uint8Array, at: number): number | bigint {
  const high = readU32(bytes, at);
  const low = readU32(bytes, at + 4);
  return high < 2 ** 21 ? high * 2 ** 32 + low : (BigInt(high) << 32n) | BigInt(low);
}
