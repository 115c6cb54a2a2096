import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import { civil } from '../bytes/rfc3339.ts';
import { kinds, shelves } from '../index/tables.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { ChainModel, ModelOutput, ModelTx } from './chain-model.ts';

/*
 * Rows as the index should have them, each one text: its values in the order of the columns, blobs as hex. Plain and slow on purpose:
 * everything is summed up anew from what the chain's own tables say.
 */

/** An output between two chains, as far as the chains of this database tell. */
export type Move = {
  readonly utxo: Utxo;
  readonly source: Id;
  readonly destination: Id;
  put: ModelTx | undefined;
  taken: ModelTx | undefined;
  /** When another chain that is not indexed here was found to have taken it. */
  gone?: number;
};

export const moveName = (id: Id, source: Id, destination: Id): string => `${id}${source}${destination}`;

export function movesOf(models: readonly ChainModel[]): Map<string, Move> {
  const moves = new Map<string, Move>();
  for (const { spec, txs } of models) addMoves(moves, spec.id, txs);
  return moves;
}

export function addMoves(moves: Map<string, Move>, chain: Id, txs: readonly ModelTx[]): void {
  for (const tx of txs) {
    for (const { utxo, to } of tx.exported) moveOf(moves, utxo, chain, to).put = tx;
    for (const { utxo, from } of tx.imported) moveOf(moves, utxo, from, chain).taken = tx;
  }
}

function moveOf(moves: Map<string, Move>, utxo: Utxo, source: Id, destination: Id): Move {
  const name = moveName(utxo.id, source, destination);
  const move = moves.get(name) ?? { utxo, source, destination, put: undefined, taken: undefined };
  moves.set(name, move);
  return move;
}

/** Rows of `holding` and `amount` of an output of the chain. */
export function outputRows({ utxo, seq, time, spentBy }: ModelOutput, spent = spentBy !== undefined) {
  const isAlone = utxo.output.addresses.length === 1;
  const shelf = isAlone ? (spent ? shelves.spent : shelves.open) : spent ? shelves.sharedSpent : shelves.sharedOpen;
  return ownerRows(utxo, shelf, time, `${seq}`);
}

/** The same for one that left it. The number of its row in `moved` depends on who came first: its name stands for it. */
export const movedRows = ({ utxo, put, taken, gone, source, destination }: Move) =>
  put === undefined
    ? { holding: [], amount: [] }
    : ownerRows(utxo, taken || gone ? shelves.taken : shelves.exported, put.time, moveName(utxo.id, source, destination));

/** The same for one that came from another chain. */
export const importedRows = ({ utxo, put, taken, source, destination }: Move) =>
  taken === undefined
    ? { holding: [], amount: [] }
    : ownerRows(utxo, shelves.imported, put?.time ?? taken.time, moveName(utxo.id, source, destination));

function ownerRows(utxo: Utxo, shelf: number, time: number, seq: string) {
  const tie = utxo.id.slice(0, 16);
  const owners = [...new Set(utxo.output.addresses)];
  const amount = (units(utxo) + BigInt(single(utxo))).toString(16).padStart(16, '0');
  return {
    holding: owners.map((owner) => `${owner} ${shelf} ${time} ${tie} ${seq}`),
    amount: owners.map((owner) => `${owner} ${shelf} ${amount} ${tie} ${seq}`),
  };
}

export const units = ({ output }: Utxo): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n);

/** NFTs and properties: 1 if the output is one. */
export const single = ({ output }: Utxo): number =>
  output.kind === 'nftfx.TransferOutput' || output.kind === 'propertyfx.OwnedOutput' ? 1 : 0;

export const isMint = ({ output }: Utxo): boolean => output.kind.endsWith('MintOutput');

export const wide = (sum: bigint): string => sum.toString(16).padStart(32, '0');

export const sendersOf = ({ consumed, imported }: ModelTx): Set<Address> =>
  new Set([...consumed, ...imported.map(({ utxo }) => utxo)].flatMap(({ output }) => output.addresses));

export const involvedIn = (tx: ModelTx): Set<Address> =>
  new Set([...sendersOf(tx), ...[...tx.emitted, ...tx.exported.map(({ utxo }) => utxo)].flatMap(({ output }) => output.addresses)]);

export const assetsIn = ({ tx, consumed, emitted, exported, imported }: ModelTx): Set<Id> =>
  new Set([
    ...[...consumed, ...emitted].map(({ assetID }) => assetID),
    ...[...exported, ...imported].map(({ utxo }) => utxo.assetID),
    ...(tx.unsigned.kind === 'CreateAssetTx' ? [tx.id] : []),
    ...(tx.unsigned.kind === 'ImportTx' ? tx.unsigned.importedInputs.map(({ assetID }) => assetID) : []),
  ]);

export const historyOf = (tx: ModelTx): string[] =>
  ['', ...involvedIn(tx), ...assetsIn(tx)].map((subject) => `${subject} ${kinds[tx.tx.unsigned.kind]} ${tx.seq}`);

/** What went in and did not come out: by what the transaction itself says. */
export function burned({ tx: { unsigned } }: ModelTx, asset: Id): bigint {
  const ins = [...unsigned.inputs, ...(unsigned.kind === 'ImportTx' ? unsigned.importedInputs : [])];
  const outs = [...unsigned.outputs, ...(unsigned.kind === 'ExportTx' ? unsigned.exportedOutputs : [])];
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const paid = sum(ins.filter(({ assetID }) => assetID === asset).map(({ input }) => input.amount));
  const got = sum(outs.filter(({ assetID }) => assetID === asset).map(({ output }) => output.amount));
  return paid > got ? paid - got : 0n;
}

/** All balances there ever were, by summing what came and went at each height. */
export function balanceRows({ outputs }: ChainModel): string[] {
  const series = new Map<string, Map<number, { amount: bigint; count: number; nfts: number }>>();
  const note = (key: string, height: number, utxo: Utxo, sign: 1 | -1): void => {
    const heights = series.get(key) ?? new Map();
    const was = heights.get(height) ?? { amount: 0n, count: 0, nfts: 0 };
    const nfts = sign * single(utxo);
    heights.set(height, { amount: was.amount + BigInt(sign) * units(utxo), count: was.count + sign - nfts, nfts: was.nfts + nfts });
    series.set(key, heights);
  };
  for (const { utxo, height, spentBy } of outputs.values()) {
    if (utxo.output.addresses.length !== 1 || isMint(utxo)) continue;
    const key = balanceName(utxo.output.addresses[0] as Address, utxo.assetID, utxo.output.locktime);
    note(key, height, utxo, 1);
    if (spentBy !== undefined) note(key, spentBy.height, utxo, -1);
  }
  return [...series].flatMap(([key, heights]) => {
    let [amount, count, nfts] = [0n, 0, 0];
    return [...heights]
      .sort(([a], [b]) => a - b)
      .flatMap(([height, change]) => {
        if (change.amount === 0n && change.count === 0 && change.nfts === 0) return [];
        amount += change.amount;
        count += change.count;
        nfts += change.nfts;
        return [`${key} ${height} ${wide(amount)} ${count} ${nfts}`];
      });
  });
}

export const balanceName = (address: Address, asset: Id, locktime: bigint): string =>
  `${address} ${asset} ${locktime.toString(16).padStart(16, '0')}`;

/** The newest balance of a key without its height. */
export function balanceNow({ unspentBy }: ChainModel, address: Address, asset: Id, locktime: bigint): string {
  const held = [...(unspentBy.get(address) ?? [])].filter(
    ({ utxo }) => utxo.assetID === asset && utxo.output.locktime === locktime && !isMint(utxo),
  );
  const nfts = held.reduce((sum, { utxo }) => sum + single(utxo), 0);
  return `${wide(held.reduce((sum, { utxo }) => sum + units(utxo), 0n))} ${held.length - nfts} ${nfts}`;
}

export function assetRows({ outputs, txs, blocks }: ChainModel): string[] {
  const assets = new Map<Id, { times: number[]; txs: number; supply: bigint; nfts: number }>();
  const of = (asset: Id) => {
    const known = assets.get(asset) ?? { times: [], txs: 0, supply: 0n, nfts: 0 };
    assets.set(asset, known);
    return known;
  };
  for (const { utxo, older, spentBy } of outputs.values()) {
    const { assetID } = utxo;
    if (older) of(assetID).times.push(blocks[0]?.time ?? 0);
    if (spentBy !== undefined) continue;
    of(assetID).supply += units(utxo);
    of(assetID).nfts += single(utxo);
  }
  for (const tx of txs)
    for (const asset of assetsIn(tx)) {
      of(asset).txs++;
      of(asset).times.push(tx.time);
    }
  return [...assets].map(([asset, { times, txs, supply, nfts }]) => `${asset} ${min(times)} ${max(times)} ${txs} ${wide(supply)} ${nfts}`);
}

export type Presence = { first: number; seen: number; sent: number; isNew: boolean };

/** When addresses were there. */
export function presences({ spec, outputs, txs, blocks }: ChainModel): Map<Address, Presence> {
  const found = new Map<Address, Presence>();
  const begin = blocks[0]?.time ?? 0;
  for (const { utxo, older } of outputs.values())
    if (older) for (const address of utxo.output.addresses) found.set(address, { first: begin, seen: 0, sent: 0, isNew: false });
  for (const tx of txs) {
    if (tx.height === 0 && spec.completeFrom > 0) continue;
    const senders = sendersOf(tx);
    for (const address of involvedIn(tx)) {
      const presence = found.get(address) ?? { first: tx.time, seen: 0, sent: 0, isNew: tx.height > 0 };
      found.set(address, presence);
      if (tx.height > 0) presence.seen = tx.time;
      if (tx.height > 0 && senders.has(address)) presence.sent = tx.time;
    }
  }
  return found;
}

export const holderText = (address: Address, { first, seen, sent }: Presence): string =>
  `${address} ${first} ${seen} ${seen - (seen % 3600)} ${sent} ${sent - (sent % 3600)}`;

export function secondRows({ spec, blocks }: ChainModel): { time: number; rate: number; text: string }[] {
  const times = [...new Set(blocks.filter(({ height }) => height > 0).map(({ time }) => time))];
  return times.map((time, i) => {
    const txs = blocks.filter((block) => block.height > 0 && block.time === time).flatMap((block) => block.txs);
    const fees = txs.reduce((sum, tx) => sum + burned(tx, spec.feeAsset), 0n);
    const rate = txs.length / (i === 0 ? 1 : time - (times[i - 1] as number));
    return { time, rate, text: `${time} ${txs.length} ${wide(fees)} ${rate}` };
  });
}

/** By the calendar, not by the writer's arithmetic. */
export const startsOf: ((time: number) => number)[] = [
  (time) => time - (time % 3600),
  (time) => time - (time % 86_400),
  (time) => {
    const monday = 345_600;
    return monday + Math.floor((time - monday) / 604_800) * 604_800;
  },
  (time) => time - (time % 86_400) - (civil(BigInt(time)).day - 1) * 86_400,
];

export function spanRows(model: ChainModel): string[] {
  const { spec, blocks } = model;
  const newcomers = [...presences(model).values()].filter(({ isNew }) => isNew);
  const seconds = secondRows(model);
  return startsOf.flatMap((startOf, unit) => {
    const starts = new Set(blocks.filter(({ height }) => height > 0).map(({ time }) => startOf(time)));
    return [...starts].map((start) => {
      const inside = blocks.filter(({ height, time }) => height > 0 && startOf(time) === start);
      const txs = inside.flatMap((block) => block.txs);
      const active = new Set(txs.flatMap((tx) => [...involvedIn(tx)])).size;
      const senders = new Set(txs.flatMap((tx) => [...sendersOf(tx)])).size;
      const fresh = newcomers.filter(({ first }) => startOf(first) === start).length;
      const fees = txs.reduce((sum, tx) => sum + burned(tx, spec.feeAsset), 0n);
      const rate = max(seconds.filter(({ time }) => startOf(time) === start).map((second) => second.rate));
      const last = max(inside.map(({ time }) => time));
      return `${unit} ${start} ${txs.length} ${inside.length} ${active} ${senders} ${fresh} ${wide(fees)} ${rate} ${last}`;
    });
  });
}

const min = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER);
const max = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
