import type { Block } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import { type Tx, txJson } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { JsonContext } from '../../base/codec/codec.ts';
import { createBalanceDeltas, ownPart } from '../../ledger/state/balance.ts';
import type { FindUtxo } from '../summary/summarize-tx.ts';
import { summarizeTx } from '../summary/summarize-tx.ts';
import type { LogEntry } from './event-log.ts';
import { createStreamEvent, renderProperties, type StreamEvent } from './stream-event.ts';

/** How a chain is written in events. */
export type ChainText = {
  readonly alias: string;
  readonly json: JsonContext;
  /** The names that a developer gave to addresses; only a developer's chain has them. */
  readonly labels?: (() => ReadonlyMap<Address, string>) | undefined;
};

/** The events of a log entry: its own event and, for a block, those of its transactions. */
export type EntryEvents = {
  /** The number of the entry. */
  readonly number: number;
  readonly own: StreamEvent;
  readonly txs: readonly StreamEvent[];
};

export function renderEntry(logID: string, entry: LogEntry, textOf: (chainID: Id) => ChainText): EntryEvents {
  const { number, chainID } = entry;
  const chain = textOf(chainID);
  const chainProperties = { chain: chain.alias, chainID: idText(chainID) };
  if (entry.kind === 'reverted') {
    const { height, blockID, time, snapshot } = entry;
    const properties = () => renderProperties({ ...chainProperties, height, blockID: idText(blockID), time, snapshot });
    return { number, own: createStreamEvent(logID, 'reverted', { entry: number, index: undefined }, properties), txs: [] };
  }
  const { block } = entry;
  const own = createStreamEvent(logID, 'block', { entry: number, index: 0 }, () =>
    renderProperties({
      ...chainProperties,
      ...blockProperties(block),
      parentID: idText(block.parentID),
      sizeBytes: block.bytes.length,
      txCountByType: countTxs(block),
      txIDs: block.txs.map(({ id }) => idText(id)),
    }),
  );
  const txs = block.txs.map((tx, i) => {
    const outputs = outputsOf(tx, entry.spent);
    const subject = subjectOf(outputs);
    const properties = () =>
      `${renderProperties({ ...chainProperties, ...blockProperties(block), txID: idText(tx.id), txType: tx.unsigned.kind, sizeBytes: tx.bytes.length })},"tx":${txJson(
        tx,
        chain.json,
      )},"summary":${JSON.stringify(summarizeTx(tx, entry.spent, { formatAddress: chain.json.address }))},"balanceChanges":${JSON.stringify(balanceChanges(outputs, chain.json))}${renderLabels(subject.owners, chain)}`;
    return createStreamEvent(logID, 'tx', { entry: number, index: i + 1 }, properties, subject);
  });
  return { number, own, txs };
}

/** The property with the labels of these addresses; empty if none has one. */
function renderLabels(owners: ReadonlySet<Address>, { labels, json }: ChainText): string {
  const all = labels?.();
  if (all === undefined || all.size === 0) return '';
  const named = [...owners].filter((owner) => all.has(owner)).map((owner) => [json.address(owner), all.get(owner)]);
  return named.length === 0 ? '' : `,"labels":${JSON.stringify(Object.fromEntries(named))}`;
}

const blockProperties = ({ height, id, time }: Block) => ({ height: Number(height), blockID: idText(id), time: Number(time) });

function countTxs({ txs }: Block): Record<Tx['unsigned']['kind'], number> {
  const counts = { BaseTx: 0, CreateAssetTx: 0, OperationTx: 0, ImportTx: 0, ExportTx: 0 };
  for (const { unsigned } of txs) counts[unsigned.kind]++;
  return counts;
}

type TxOutputs = { readonly spent: readonly Utxo[]; readonly created: readonly Utxo[]; readonly exported: readonly Utxo[] };

/** The outputs that a transaction spends and creates on its chain, and those that it exports. Outputs that `find` does not know are left out. */
export function outputsOf(tx: Tx, find: FindUtxo): TxOutputs {
  const { spent, created, exported } = effectsOf(tx);
  return { spent: spent.map(find).filter((utxo) => utxo !== undefined), created, exported: exported?.utxos ?? [] };
}

/** What the filters compare. Imported outputs are left out: they are in no block of this chain. */
export function subjectOf({ spent, created, exported }: TxOutputs): NonNullable<StreamEvent['subject']> {
  const owners = new Set<Address>();
  const assets = new Set<Id>();
  for (const outputs of [spent, created, exported])
    for (const { assetID, output } of outputs) {
      assets.add(assetID);
      for (const address of output.addresses) owners.add(address);
    }
  return { owners, assets };
}

const isTransferOutput = ({ output }: Utxo): boolean => output.kind === 'secp256k1fx.TransferOutput';

function balanceChanges({ spent, created }: TxOutputs, { address: formatAddress, id: formatID }: JsonContext) {
  const sums = createBalanceDeltas();
  for (const utxo of spent.filter(isTransferOutput)) sums.remove(utxo);
  for (const utxo of created.filter(isTransferOutput)) sums.add(utxo);
  const changes = new Map<string, { address: Address; assetID: Id; own: bigint; shared: bigint }>();
  for (const { address, assetID, part, amount } of sums.deltas()) {
    if (part > ownPart) continue;
    const { own, shared } = changes.get(address + assetID) ?? { own: 0n, shared: 0n };
    const isOwn = part === ownPart;
    changes.set(address + assetID, { address, assetID, own: isOwn ? amount : own, shared: isOwn ? shared : amount });
  }
  return [...changes.values()].map(({ address, assetID, own, shared }) => ({
    address: formatAddress(address),
    assetID: formatID(assetID),
    change: own.toString(),
    sharedChange: shared.toString(),
  }));
}
