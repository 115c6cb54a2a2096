import type { FxOperation } from '../../avm/tx/operation.ts';
import { inputFields } from '../../avm/tx/tx-layout.ts';
import { type AssetType, outputKindOf } from '../../ledger/index/output-amount.ts';
import type { AssetDetails, OutputEntry, TxEntry } from '../../ledger/index-read/index-reads.ts';
import { utxoFields } from '../../ledger/state/stored-utxo.ts';
import type { JsonBytes } from './json-bytes.ts';
import { renderAssetDetails } from './render-asset.ts';
import { type AssetTexts, hasBytesAt, type RenderContext } from './render-context.ts';
import { amountOf, newOutputState, type OutputWriterState, readU64, type WrittenText, writeIdText, writeOutput } from './write-output.ts';

/** The JSON of a transaction, written from its bytes. `created` is the asset that a CreateAssetTx created. */
export function writeTx(json: JsonBytes, entry: TxEntry, created: AssetDetails | undefined, context: RenderContext): void {
  json.bytes(texts.txHash);
  const txIDText = writeIdText(json, entry.tx.id);
  json.bytes(texts.height);
  json.number(entry.height);
  json.bytes(texts.blockHash);
  writeBlockID(json, entry.blockID, context);
  json.bytes(texts.time);
  json.number(entry.tx.time);
  json.byte(comma);
  writeTxContent(json, entry, txIDText, created, context);
  json.byte(closeBrace);
}

/** The properties of a transaction that do not depend on its block, without braces. `txIDText`: where its ID is already written. */
export function writeTxContent(
  json: JsonBytes,
  { tx, consumed, emitted }: Pick<TxEntry, 'tx' | 'consumed' | 'emitted'>,
  txIDText: WrittenText,
  created: AssetDetails | undefined,
  context: RenderContext,
): void {
  const { bytes, layout } = tx;
  json.bytes(texts.kind);
  json.ascii(layout.kind);
  json.bytes(texts.memo);
  json.hex(bytes, layout.memo[0], layout.memo[1]);
  json.byte(quote);
  if (layout.otherChain > 0) {
    json.ascii(layout.kind === 'ImportTx' ? ',"sourceChain":"' : ',"destinationChain":"');
    json.id(bytes, layout.otherChain);
    json.byte(quote);
  }
  if (created !== undefined) json.text(`,"assetCreated":${JSON.stringify(renderAssetDetails(created))}`);
  const state = newOutputState();
  state.spender = tx;
  state.spenderText = txIDText;
  json.bytes(texts.consumed);
  writeOutputs(json, consumed, context, state);
  state.creator = txIDText;
  json.bytes(texts.emitted);
  writeOutputs(json, emitted, context, state);
  json.bytes(texts.unlocked);
  writeSums(json, unlockedSums(tx, context));
  json.bytes(texts.created);
  writeSums(json, createdSums(emitted, context));
  json.byte(closeBracket);
}

/** Consecutive transactions nearly always have the same block. */
function writeBlockID(json: JsonBytes, id: Uint8Array, { lastBlock }: RenderContext): void {
  if (lastBlock.size > 0 && hasBytesAt(id, 0, lastBlock.id)) {
    json.part(lastBlock.text, 0, lastBlock.size);
    return;
  }
  const start = json.length;
  json.id(id, 0);
  lastBlock.id = id;
  lastBlock.size = json.copyTo(lastBlock.text, start);
}

function writeOutputs(json: JsonBytes, outputs: TxEntry['consumed'], context: RenderContext, state: OutputWriterState): void {
  let isFirst = true;
  for (const output of outputs) {
    if (output === undefined) continue;
    if (!isFirst) json.byte(comma);
    isFirst = false;
    writeOutput(json, output, context, state);
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
    if (i > 0) json.byte(comma);
    json.bytes(type === 'nft' ? asset.nfts : asset.units);
    json.number(amount);
    json.bytes(texts.amountEnd);
  }
}

function addAmounts(a: number | bigint, b: number | bigint): number | bigint {
  const sum = Number(a) + Number(b);
  return typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b);
}

const comma = 0x2c;
const quote = 0x22;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

const texts = {
  txHash: Buffer.from('{"txHash":"'),
  height: Buffer.from('","chainFormat":"linear","blockHeight":'),
  blockHash: Buffer.from(',"blockHash":"'),
  time: Buffer.from('","timestamp":'),
  kind: Buffer.from('"txType":"'),
  memo: Buffer.from('","memo":"0x'),
  consumed: Buffer.from(',"consumedUtxos":['),
  emitted: Buffer.from('],"emittedUtxos":['),
  unlocked: Buffer.from('],"amountUnlocked":['),
  created: Buffer.from('],"amountCreated":['),
  amountEnd: Buffer.from('"}'),
};
