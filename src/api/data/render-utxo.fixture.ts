import { isIncompleteImport } from '../../avm/tx/incomplete-utxo.ts';
import type { Output } from '../../avm/tx/output.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import { assetTypeOf, isMintOutput, listedAmount } from '../../ledger/index/output-amount.ts';
import type { OutputEntry, SpendInfo } from '../../ledger/index-read/index-reads.ts';
import { type LabelOf, renderAmount } from './render-asset.ts';
import type { RenderContext } from './render-context.ts';
import { credentialIndexOf, renderCredentials } from './render-credential.fixture.ts';

/** The part of a context that does not serve speed. */
export type PlainContext = Pick<RenderContext, 'formatAddress' | 'publicKeyText' | 'mayBeImported'> & { readonly labelOf: LabelOf };

/** Renders outputs. Consecutive outputs are often consumed by consecutive inputs of one transaction, which makes finding credentials cheap. */
export function renderUtxos(entries: readonly OutputEntry[], context: PlainContext) {
  let consumer: Id | undefined;
  let slot = -1;
  return entries.map((entry) => {
    const { spent, utxo } = entry;
    const spender = spenderOf(spent);
    if (spender !== undefined) {
      slot = credentialIndexOf(spender, utxo, consumer === spender.id ? slot : -1);
      consumer = spender.id;
    }
    return renderUtxo(entry, spender, slot, context);
  });
}

/** A page has hundreds of these: setting properties to undefined is faster than spreading partial objects. */
function renderUtxo(
  entry: OutputEntry,
  spender: Tx | undefined,
  slot: number,
  { formatAddress, labelOf, publicKeyText, mayBeImported }: PlainContext,
) {
  const { utxo, time, createdOn, consumedOn, spent } = entry;
  const { output } = utxo;
  return {
    utxoId: idText(utxo.id),
    creationTxHash: idText(utxo.txID),
    outputIndex: utxo.outputIndex.toString(),
    timestamp: time,
    utxoType: isMintOutput(output) ? 'mint' : 'transfer',
    asset: renderAmount(labelOf(utxo.assetID), assetTypeOf(output), listedAmount(output)),
    addresses: output.addresses.map(formatAddress),
    threshold: output.threshold,
    locktime: isIncomplete(entry) ? 0 : safeNumber(output.locktime),
    createdOnChainId: idText(createdOn),
    consumedOnChainId: idText(consumedOn),
    ...(isIncomplete(entry) ? { isIncomplete: true } : { utxoBytes: hexWithChecksum(utxo.bytes) }),
    groupId: groupIDOf(output),
    payload: output.kind === 'nftfx.TransferOutput' ? `0x${toHex(output.payload)}` : undefined,
    consumingTxHash: spent?.id && idText(toHex(spent.id) as Id),
    consumingTxTimestamp: spent?.time,
    credentials: spender && renderCredentials(spender, slot, isIncomplete(entry) ? [] : output.addresses, publicKeyText),
    mayBeImported: (mayBeImported && spent === undefined && createdOn !== consumedOn) || undefined,
  };
}

const spenderOf = (spent: SpendInfo | undefined): Tx | undefined =>
  spent?.layout === undefined ? undefined : parseTx(spent.bytes, maxGenesisBytes);

/** Whether an output was imported on this chain and is known from its import only: the indices of its owners are then unknown. */
const isIncomplete = ({ utxo, spent }: OutputEntry): boolean => spent?.layout !== undefined && isIncompleteImport(utxo);

const groupIDOf = (output: Output): number | undefined =>
  output.kind === 'nftfx.TransferOutput' || output.kind === 'nftfx.MintOutput' ? output.groupID : undefined;

/** A number if it is a safe integer, else a bigint: JSON without bigints is written several times as fast. */
const safeNumber = (value: bigint): number | bigint => (value > maxSafe ? value : Number(value));
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** The `hex` encoding of the node API (see base/bytes/hex.ts), without concatenating the bytes first. */
const hexWithChecksum = (bytes: Uint8Array): string => `0x${toHex(bytes)}${sha256Hex(bytes).slice(-8)}`;
