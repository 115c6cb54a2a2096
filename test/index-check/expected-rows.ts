import type { Utxo } from '../../src/avm/tx/utxo.ts';
import type { Address } from '../../src/base/bytes/address.ts';
import { toHex } from '../../src/base/bytes/hex.ts';
import type { Id } from '../../src/base/bytes/id.ts';
import { utcDateTime } from '../../src/base/bytes/rfc3339.ts';
import { outputSets, txKinds } from '../../src/ledger/index/tables.ts';
import { encodeStoredUtxo } from '../../src/ledger/state/stored-utxo.ts';
import type { ChainModel, ModelOutput, ModelTx } from './chain-model.ts';

/*
 * The rows that the index should have, each as one text: its values in the order of the columns, blobs as hex. Simple and slow on purpose:
 * everything is summed up from the chain's own tables.
 */

/** An output that moved from one chain to another, with what the chains of this database show of it. */
export type CrossChainOutput = {
  readonly utxo: Utxo;
  readonly source: Id;
  readonly destination: Id;
  exportedBy: ModelTx | undefined;
  importedBy: ModelTx | undefined;
  /** When it became known that a chain not indexed here had imported it. */
  spentTime?: number;
};

export const crossChainKey = (id: Id, source: Id, destination: Id): string => `${id}${source}${destination}`;

export function crossChainOutputs(models: readonly ChainModel[]): Map<string, CrossChainOutput> {
  const outputs = new Map<string, CrossChainOutput>();
  for (const { spec, txs } of models) addCrossChainOutputs(outputs, spec.id, txs);
  return outputs;
}

export function addCrossChainOutputs(outputs: Map<string, CrossChainOutput>, chain: Id, txs: readonly ModelTx[]): void {
  for (const tx of txs) {
    for (const { utxo, to } of tx.exported) crossChainOutputOf(outputs, utxo, chain, to).exportedBy = tx;
    for (const { utxo, from } of tx.imported) crossChainOutputOf(outputs, utxo, from, chain).importedBy = tx;
  }
}

function crossChainOutputOf(outputs: Map<string, CrossChainOutput>, utxo: Utxo, source: Id, destination: Id): CrossChainOutput {
  const key = crossChainKey(utxo.id, source, destination);
  const output = outputs.get(key) ?? { utxo, source, destination, exportedBy: undefined, importedBy: undefined };
  outputs.set(key, output);
  return output;
}

/** Rows of `owner` for an output of the chain. Unspent outputs of at most 256 bytes are in the row. */
export function outputRows({ utxo, seq, height, spentBy }: ModelOutput, spent = spentBy !== undefined): string[] {
  const isSingleOwner = utxo.output.addresses.length === 1;
  const outputSet = isSingleOwner
    ? spent
      ? outputSets.spent
      : outputSets.unspent
    : spent
      ? outputSets.multiOwnerSpent
      : outputSets.multiOwnerUnspent;
  const bytes = encodeStoredUtxo(utxo);
  const copy = spent || bytes.length > 256 ? 'null' : toHex(bytes);
  return [...new Set(utxo.output.addresses)].map((owner) => `${owner} ${outputSet} ${seq} ${height} ${copy}`);
}

/** Rows of `moved_owner` for an exported output. Its key stands for its `seq`, which depends on the order in which the chains were indexed. */
export const exportedRows = ({ utxo, exportedBy, importedBy, spentTime, source, destination }: CrossChainOutput) =>
  exportedBy === undefined
    ? []
    : movedOwnerRows(
        utxo,
        importedBy || spentTime ? outputSets.exportedSpent : outputSets.exported,
        exportedBy.time,
        crossChainKey(utxo.id, source, destination),
      );

/** The same for an imported output. */
export const importedRows = ({ utxo, exportedBy, importedBy, source, destination }: CrossChainOutput) =>
  importedBy === undefined
    ? []
    : movedOwnerRows(utxo, outputSets.imported, exportedBy?.time ?? importedBy.time, crossChainKey(utxo.id, source, destination));

const movedOwnerRows = (utxo: Utxo, outputSet: number, time: number, seq: string): string[] =>
  [...new Set(utxo.output.addresses)].map((owner) => `${owner} ${outputSet} ${time} ${utxo.id.slice(0, 16)} ${seq}`);

export const unitsIn = ({ output }: Utxo): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n);

/** 1 for an NFT or a property, else 0. */
export const nftCount = ({ output }: Utxo): number =>
  output.kind === 'nftfx.TransferOutput' || output.kind === 'propertyfx.OwnedOutput' ? 1 : 0;

export const isMintUtxo = ({ output }: Utxo): boolean => output.kind.endsWith('MintOutput');

/** A sum as 16 bytes in hex. */
export const sumHex = (sum: bigint): string => sum.toString(16).padStart(32, '0');

export const sendersOfTx = ({ consumed, imported }: ModelTx): Set<Address> =>
  new Set([...consumed, ...imported.map(({ utxo }) => utxo)].flatMap(({ output }) => output.addresses));

export const addressesOfTx = (tx: ModelTx): Set<Address> =>
  new Set([...sendersOfTx(tx), ...[...tx.created, ...tx.exported.map(({ utxo }) => utxo)].flatMap(({ output }) => output.addresses)]);

export const assetsOfTx = ({ tx, consumed, created, exported, imported }: ModelTx): Set<Id> =>
  new Set([
    ...[...consumed, ...created].map(({ assetID }) => assetID),
    ...[...exported, ...imported].map(({ utxo }) => utxo.assetID),
    ...(tx.unsigned.kind === 'CreateAssetTx' ? [tx.id] : []),
    ...(tx.unsigned.kind === 'ImportTx' ? tx.unsigned.importedInputs.map(({ assetID }) => assetID) : []),
  ]);

/**
 * A row for each address and each asset of a transaction and one for the whole chain. Transfers have none for the whole chain and the fee
 * asset: for these there is a row of the kind 5 where transfers begin (twice the number of the first) and one where they end (twice the number
 * of the next transaction, and 1).
 */
export function historyRowTexts({ txs, spec: { feeAsset } }: Pick<ChainModel, 'txs' | 'spec'>, tx: ModelTx): string[] {
  const isTransfer = (one: ModelTx | undefined) => one?.tx.unsigned.kind === 'BaseTx';
  const isFeeTransfer = (one: ModelTx | undefined) => one !== undefined && isTransfer(one) && assetsOfTx(one).has(feeAsset);
  const previous = txs[tx.seq - 2];
  const rows = [...addressesOfTx(tx), ...assetsOfTx(tx)]
    .filter((subject) => subject !== feeAsset || !isFeeTransfer(tx))
    .map((subject) => `${subject} ${txKinds[tx.tx.unsigned.kind]} ${tx.seq}`);
  if (!isTransfer(tx)) rows.push(` ${txKinds[tx.tx.unsigned.kind]} ${tx.seq}`);
  for (const [subject, isInRun] of [
    ['', isTransfer],
    [feeAsset, isFeeTransfer],
  ] as const)
    if (isInRun(previous) !== isInRun(tx)) rows.push(`${subject} 5 ${tx.seq * 2 + (isInRun(tx) ? 0 : 1)}`);
  return rows;
}

/** Amount of an asset that a transaction burns, computed from its own inputs and outputs. */
export function burnedInTx({ tx: { unsigned } }: ModelTx, asset: Id): bigint {
  const inputs = [...unsigned.inputs, ...(unsigned.kind === 'ImportTx' ? unsigned.importedInputs : [])];
  const outputs = [...unsigned.outputs, ...(unsigned.kind === 'ExportTx' ? unsigned.exportedOutputs : [])];
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const amountIn = sum(inputs.filter(({ assetID }) => assetID === asset).map(({ input }) => input.amount));
  const amountOut = sum(outputs.filter(({ assetID }) => assetID === asset).map(({ output }) => output.amount));
  return amountIn > amountOut ? amountIn - amountOut : 0n;
}

/**
 * All balance rows of all heights, by summing up created and spent outputs: of each owner alone, of each lock time, and of outputs with several
 * owners. A block that creates and spends the same amount has a row too; one that spends what it creates has none.
 */
export function balanceRows({ outputs }: ChainModel): string[] {
  const series = new Map<string, Map<number, { amount: bigint; count: number; nfts: number }>>();
  const addChange = (key: string, height: number, utxo: Utxo, sign: 1 | -1): void => {
    const heights = series.get(key) ?? new Map();
    const previous = heights.get(height) ?? { amount: 0n, count: 0, nfts: 0 };
    const nfts = sign * nftCount(utxo);
    heights.set(height, {
      amount: previous.amount + BigInt(sign) * unitsIn(utxo),
      count: previous.count + sign - nfts,
      nfts: previous.nfts + nfts,
    });
    series.set(key, heights);
  };
  for (const { utxo, height, spentBy, isPreLinearization } of outputs.values()) {
    if (isMintUtxo(utxo) || (spentBy?.height === height && !isPreLinearization)) continue;
    for (const key of balanceKeys(utxo)) {
      addChange(key, height, utxo, 1);
      if (spentBy !== undefined) addChange(key, spentBy.height, utxo, -1);
    }
  }
  return [...series].flatMap(([key, heights]) => {
    let [amount, count, nfts] = [0n, 0, 0];
    return [...heights]
      .sort(([a], [b]) => a - b)
      .map(([height, change]) => {
        amount += change.amount;
        count += change.count;
        nfts += change.nfts;
        return `${key} ${height} ${amountHex(amount)} ${count} ${nfts}`;
      });
  });
}

/** The balances that an output is part of. */
function balanceKeys(utxo: Utxo): string[] {
  const { assetID, output } = utxo;
  const [owner, ...others] = output.addresses;
  if (owner !== undefined && others.length === 0)
    return [...new Set([0n, output.locktime])].map((part) => `${owner} ${assetID} ${partHex(part)}`);
  return nftCount(utxo) > 0 ? [] : [...new Set(output.addresses)].map((address) => `${address} ${assetID} ${'ff'.repeat(9)}`);
}

export const partHex = (part: bigint): string => (part === 0n ? '' : part.toString(16).padStart(16, '0'));

/** An amount in whole bytes, without leading zeros. */
function amountHex(amount: bigint): string {
  const digits = amount === 0n ? '' : amount.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

/** The current balance as text, without the height: of a lock time, or of all single-owner outputs if `part` is 0. */
export function currentBalanceText({ unspentBy }: ChainModel, address: Address, asset: Id, part: bigint): string {
  const unspent = [...(unspentBy.get(address) ?? [])].filter(
    ({ utxo }) => utxo.assetID === asset && (part === 0n || utxo.output.locktime === part) && !isMintUtxo(utxo),
  );
  const nfts = unspent.reduce((sum, { utxo }) => sum + nftCount(utxo), 0);
  return `${amountHex(unspent.reduce((sum, { utxo }) => sum + unitsIn(utxo), 0n))} ${unspent.length - nfts} ${nfts}`;
}

export function assetRows({ outputs, txs, blocks }: ChainModel): string[] {
  const assets = new Map<Id, { times: number[]; txs: number; supply: bigint; nfts: number }>();
  const statOf = (asset: Id) => {
    const stat = assets.get(asset) ?? { times: [], txs: 0, supply: 0n, nfts: 0 };
    assets.set(asset, stat);
    return stat;
  };
  for (const { utxo, isPreLinearization, spentBy } of outputs.values()) {
    const { assetID } = utxo;
    if (isPreLinearization) statOf(assetID).times.push(blocks[0]?.time ?? 0);
    if (spentBy !== undefined) continue;
    statOf(assetID).supply += unitsIn(utxo);
    statOf(assetID).nfts += nftCount(utxo);
  }
  for (const tx of txs)
    for (const asset of assetsOfTx(tx)) {
      statOf(asset).txs++;
      statOf(asset).times.push(tx.time);
    }
  return [...assets].map(
    ([asset, { times, txs, supply, nfts }]) => `${asset} ${min(times)} ${max(times)} ${txs} ${sumHex(supply)} ${nfts}`,
  );
}

/** When an address was first seen, last seen and last sent, as in table `holder`. isNew: a block after the genesis saw it first. */
export type SeenTimes = { first: number; seen: number; sent: number; isNew: boolean };

/** The times of all addresses. */
export function seenTimesByAddress({ spec, outputs, txs, blocks }: ChainModel): Map<Address, SeenTimes> {
  const timesByAddress = new Map<Address, SeenTimes>();
  const firstTime = blocks[0]?.time ?? 0;
  for (const { utxo, isPreLinearization } of outputs.values())
    if (isPreLinearization)
      for (const address of utxo.output.addresses) timesByAddress.set(address, { first: firstTime, seen: 0, sent: 0, isNew: false });
  for (const tx of txs) {
    if (tx.height === 0 && spec.completeFrom > 0) continue;
    const senders = sendersOfTx(tx);
    for (const address of addressesOfTx(tx)) {
      const times = timesByAddress.get(address) ?? { first: tx.time, seen: 0, sent: 0, isNew: tx.height > 0 };
      timesByAddress.set(address, times);
      if (tx.height > 0) times.seen = tx.time;
      if (tx.height > 0 && senders.has(address)) times.sent = tx.time;
    }
  }
  return timesByAddress;
}

export const holderRowText = (address: Address, { first, seen, sent }: SeenTimes): string => `${address} ${first} ${seen} ${sent}`;

/** How many addresses were last seen, and last sent, in each second, hour and day with activity. */
export function activeRows(model: ChainModel): string[] {
  const times = [...seenTimesByAddress(model).values()];
  const active = model.txs.filter((tx) => tx.height > 0 && addressesOfTx(tx).size > 0);
  return [1, 3600, 86_400].flatMap((length) => {
    const startOf = (time: number) => time - (time % length);
    const count = (start: number, column: 'seen' | 'sent') => times.filter((one) => startOf(one[column]) === start).length;
    return [...new Set(active.map(({ time }) => startOf(time)))].map(
      (start) => `${length} ${start} ${count(start, 'seen')} ${count(start, 'sent')}`,
    );
  });
}

function secondRows({ blocks }: ChainModel): { time: number; rate: number }[] {
  const times = [...new Set(blocks.filter(({ height }) => height > 0).map(({ time }) => time))];
  return times.map((time, i) => {
    const txs = blocks.filter((block) => block.height > 0 && block.time === time).flatMap((block) => block.txs);
    return { time, rate: txs.length / (i === 0 ? 1 : time - (times[i - 1] as number)) };
  });
}

/** Minutes with blocks. */
export function minuteRows(model: ChainModel): string[] {
  const { spec, blocks } = model;
  const seconds = secondRows(model);
  const minuteOf = (time: number) => Math.floor(time / 60) * 60;
  return [...new Set(seconds.map(({ time }) => minuteOf(time)))].map((start) => {
    const txs = blocks.filter(({ height, time }) => height > 0 && minuteOf(time) === start).flatMap((block) => block.txs);
    const fees = txs.reduce((sum, tx) => sum + burnedInTx(tx, spec.feeAsset), 0n);
    return `${start} ${txs.length} ${sumHex(fees)} ${max(seconds.filter(({ time }) => minuteOf(time) === start).map(({ rate }) => rate))}`;
  });
}

/** Start of the hour, day, week or month of a time, by unit number. Computed in another way than the writer does. */
export const bucketStartByUnit: ((time: number) => number)[] = [
  (time) => time - (time % 3600),
  (time) => time - (time % 86_400),
  (time) => {
    const monday = 345_600;
    return monday + Math.floor((time - monday) / 604_800) * 604_800;
  },
  (time) => time - (time % 86_400) - (utcDateTime(BigInt(time)).day - 1) * 86_400,
];

export function bucketRows(model: ChainModel): string[] {
  const { spec, blocks } = model;
  const newAddresses = [...seenTimesByAddress(model).values()].filter(({ isNew }) => isNew);
  const seconds = secondRows(model);
  return bucketStartByUnit.flatMap((startOf, unit) => {
    const starts = new Set(blocks.filter(({ height }) => height > 0).map(({ time }) => startOf(time)));
    return [...starts].map((start) => {
      const blocksInBucket = blocks.filter(({ height, time }) => height > 0 && startOf(time) === start);
      const txs = blocksInBucket.flatMap((block) => block.txs);
      const active = new Set(txs.flatMap((tx) => [...addressesOfTx(tx)])).size;
      const senders = new Set(txs.flatMap((tx) => [...sendersOfTx(tx)])).size;
      const newCount = newAddresses.filter(({ first }) => startOf(first) === start).length;
      const fees = txs.reduce((sum, tx) => sum + burnedInTx(tx, spec.feeAsset), 0n);
      const rate = max(seconds.filter(({ time }) => startOf(time) === start).map((second) => second.rate));
      const last = max(blocksInBucket.map(({ time }) => time));
      return `${unit} ${start} ${txs.length} ${blocksInBucket.length} ${active} ${senders} ${newCount} ${sumHex(fees)} ${rate} ${last}`;
    });
  });
}

const min = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER);
const max = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
