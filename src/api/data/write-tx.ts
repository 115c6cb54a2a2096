import type { FxOperation } from '../../avm/tx/operation.ts';
import { inputFields } from '../../avm/tx/tx-layout.ts';
import { type AssetType, outputKindOf } from '../../ledger/index/output-amount.ts';
import type { AssetDetails, OutputEntry, TxEntry } from '../../ledger/index-read/index-reads.ts';
import { utxoFields } from '../../ledger/state/stored-utxo.ts';
import type { JsonBytes } from './json-bytes.ts';
import { renderAssetDetails } from './render-asset.ts';
import type { AssetTexts, RenderContext } from './render-context.ts';
import { amountOf, readU64, writeOutput } from './write-output.ts';

/**
 * Writes the JSON of a transaction from its stored bytes, by the offsets of its layout. `created`: the asset that a CreateAssetTx created.
 * Decoding it to objects and `JSON.stringify` take 1.6 times the time of a page of 100 transactions of all kinds that are not cached, twice that
 * of a page of 25 (`renderTx` in render-tx.fixture.ts is that form).
 */
export function writeTx(json: JsonBytes, entry: TxEntry, created: AssetDetails | undefined, context: RenderContext): void {
  json.ascii('{"txHash":"');
  json.id(entry.tx.id, 0);
  json.ascii('","chainFormat":"linear","blockHeight":');
  json.number(entry.height);
  json.ascii(',"blockHash":"');
  json.id(entry.blockID, 0);
  json.ascii('","timestamp":');
  json.number(entry.tx.time);
  json.ascii(',');
  writeTxContent(json, entry, created, context);
  json.ascii('}');
}

/** Writes the properties of a transaction that do not depend on its block, without braces. */
export function writeTxContent(
  json: JsonBytes,
  { tx, consumed, emitted }: Pick<TxEntry, 'tx' | 'consumed' | 'emitted'>,
  created: AssetDetails | undefined,
  context: RenderContext,
): void {
  const { bytes, layout } = tx;
  json.ascii('"txType":"');
  json.ascii(layout.kind);
  json.ascii('","memo":"0x');
  json.hex(bytes, layout.memo[0], layout.memo[1]);
  json.ascii('"');
  if (layout.otherChain > 0) {
    json.ascii(layout.kind === 'ImportTx' ? ',"sourceChain":"' : ',"destinationChain":"');
    json.id(bytes, layout.otherChain);
    json.ascii('"');
  }
  if (created !== undefined) json.text(`,"assetCreated":${JSON.stringify(renderAssetDetails(created))}`);
  json.ascii(',"consumedUtxos":[');
  writeOutputs(json, consumed, context);
  json.ascii('],"emittedUtxos":[');
  writeOutputs(json, emitted, context);
  json.ascii('],"amountUnlocked":[');
  writeSums(json, unlockedSums(tx, context));
  json.ascii('],"amountCreated":[');
  writeSums(json, createdSums(emitted, context));
  json.ascii(']');
}

function writeOutputs(json: JsonBytes, outputs: TxEntry['consumed'], context: RenderContext): void {
  let isFirst = true;
  for (const output of outputs) {
    if (output === undefined) continue;
    if (!isFirst) json.ascii(',');
    isFirst = false;
    writeOutput(json, output, context);
  }
}

/** An amount of one asset and one type. Units and NFTs of the same asset are not added up. */
type Sum = { readonly asset: AssetTexts; readonly type: AssetType; amount: number | bigint };

/** Adds to sums by asset and type, which are in the order of their first appearance. */
function addToSums(sums: Sum[], asset: AssetTexts, type: AssetType, amount: number | bigint): void {
  for (const sum of sums)
    if (sum.asset === asset && sum.type === type) {
      sum.amount = addAmounts(sum.amount, amount);
      return;
    }
  sums.push({ asset, type, amount });
}

/** Amounts of the inputs. Read from the inputs, since consumed outputs may be from before the indexed history. */
function unlockedSums({ bytes, layout }: TxEntry['tx'], { assetTexts }: RenderContext): Sum[] {
  const sums: Sum[] = [];
  for (const at of layout.inputs)
    addToSums(sums, assetTexts(bytes, at + inputFields.assetID), 'secp256k1', readU64(bytes, at + inputFields.amount));
  const unsigned = layout.decoded?.unsigned;
  if (unsigned?.kind === 'OperationTx')
    for (const [i, { inputIDs, operation }] of unsigned.operations.entries()) {
      const { type, amount } = consumedByOperation[operation.kind];
      addToSums(sums, assetTexts(bytes, layout.operations[i]?.assetID as number), type, amount * inputIDs.length);
    }
  return sums;
}

/** Type and amount that an operation consumes: an NFT or property counts 1, a mint output 0. */
const consumedByOperation: { readonly [K in FxOperation['kind']]: { readonly type: AssetType; readonly amount: 0 | 1 } } = {
  'secp256k1fx.MintOperation': { type: 'secp256k1', amount: 0 },
  'nftfx.MintOperation': { type: 'nft', amount: 0 },
  'nftfx.TransferOperation': { type: 'nft', amount: 1 },
  'propertyfx.MintOperation': { type: 'nft', amount: 0 },
  'propertyfx.BurnOperation': { type: 'nft', amount: 1 },
};

function createdSums(emitted: readonly OutputEntry[], { assetTexts }: RenderContext): Sum[] {
  const sums: Sum[] = [];
  for (const { stored } of emitted) {
    const { class: counted, type } = outputKindOf(stored);
    addToSums(sums, assetTexts(stored, utxoFields.assetID), type, amountOf(stored, counted));
  }
  return sums;
}

function writeSums(json: JsonBytes, sums: readonly Sum[]): void {
  for (const [i, { asset, type, amount }] of sums.entries()) {
    if (i > 0) json.ascii(',');
    json.bytes(type === 'nft' ? asset.nfts : asset.units);
    json.number(amount);
    json.ascii('"}');
  }
}

function addAmounts(a: number | bigint, b: number | bigint): number | bigint {
  const sum = Number(a) + Number(b);
  return typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b);
}
