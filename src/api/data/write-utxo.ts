import { isIncompleteImport } from '../../avm/tx/incomplete-utxo.ts';
import type { Output } from '../../avm/tx/output.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { assetTypeOf, isMintOutput, listedAmount } from '../../ledger/index/output-amount.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import type { LabelOf } from './render-asset.ts';
import { credentialIndexOf, type PublicKeyText, renderCredentials } from './render-credential.ts';
import { writeAmount } from './write-asset.ts';

/** Formatters for values in responses. */
export type RenderContext = {
  readonly formatAddress: (address: Address) => string;
  readonly labelOf: LabelOf;
  readonly publicKeyText: PublicKeyText | undefined;
  /** Whether other chains may have imported exports without this server knowing. */
  readonly mayBeImported: boolean;
};

/**
 * Returns a function that writes the JSON of outputs, one after the other. Consecutive outputs are often consumed by consecutive inputs of
 * one transaction, which makes finding credentials cheap. No text in them needs escaping except in asset labels.
 */
export function createUtxoWriter(context: RenderContext): (entry: OutputEntry) => string {
  let consumer: Id | undefined;
  let slot = -1;
  return (entry) => {
    const { spent } = entry;
    const text = writeUnspent(entry, context);
    if (spent === undefined)
      return `${text}${context.mayBeImported && entry.createdOn !== entry.consumedOn ? ',"mayBeImported":true' : ''}}`;
    const hash = spent.txID === undefined ? '' : `,"consumingTxHash":"${idText(spent.txID)}"`;
    const spending = `${text}${hash},"consumingTxTimestamp":${spent.time}`;
    if (spent.tx === undefined) return `${spending}}`;
    const { utxo } = entry;
    slot = credentialIndexOf(spent.tx, utxo, consumer === spent.txID ? slot : -1);
    consumer = spent.txID;
    const credentials = renderCredentials(spent.tx, slot, ownersByIndex(entry), context.publicKeyText);
    return `${spending},"credentials":[${credentials.map(writeCredential).join()}]}`;
  };
}

export const writeCredential = ({ signature, publicKey }: ReturnType<typeof renderCredentials>[number]): string =>
  publicKey === undefined ? `{"signature":"${signature}"}` : `{"signature":"${signature}","publicKey":"${publicKey}"}`;

/** Whether an output was imported on this chain and is known from its import only. */
export const isIncomplete = ({ utxo, spent }: OutputEntry): boolean => spent?.tx !== undefined && isIncompleteImport(utxo);

/** The owners by their index in the output: of an incomplete output these indices are unknown. */
export const ownersByIndex = (entry: OutputEntry): readonly Address[] => (isIncomplete(entry) ? [] : entry.utxo.output.addresses);

/** The JSON of an output without how it was consumed and without its closing brace. */
function writeUnspent(entry: OutputEntry, { formatAddress, labelOf }: RenderContext): string {
  const { utxo, time, createdOn, consumedOn } = entry;
  const { output } = utxo;
  const asset = writeAmount(labelOf(utxo.assetID), assetTypeOf(output), listedAmount(output));
  const owners = output.addresses.length === 0 ? '' : `"${output.addresses.map(formatAddress).join('","')}"`;
  return (
    `{"utxoId":"${idText(utxo.id)}","creationTxHash":"${idText(utxo.txID)}","outputIndex":"${utxo.outputIndex}","timestamp":${time},` +
    `"utxoType":"${isMintOutput(output) ? 'mint' : 'transfer'}","asset":${asset},"addresses":[${owners}],"threshold":${output.threshold},` +
    `"locktime":${isIncomplete(entry) ? 0 : output.locktime},"createdOnChainId":"${idText(createdOn)}",` +
    `"consumedOnChainId":"${idText(consumedOn)}",${writeBytes(entry)}${writeNft(output)}`
  );
}

function writeBytes(entry: OutputEntry): string {
  if (isIncomplete(entry)) return '"isIncomplete":true';
  return `"utxoBytes":"0x${entry.stored === undefined ? hexWithChecksum(entry.utxo.bytes) : toHex(entry.stored)}"`;
}

function writeNft(output: Output): string {
  if (output.kind === 'nftfx.MintOutput') return `,"groupId":${output.groupID}`;
  return output.kind === 'nftfx.TransferOutput' ? `,"groupId":${output.groupID},"payload":"0x${toHex(output.payload)}"` : '';
}

/** The `hex` encoding of the node API (see base/bytes/hex.ts), without concatenating the bytes first. */
const hexWithChecksum = (bytes: Uint8Array): string => toHex(bytes) + sha256Hex(bytes).slice(-8);
