import { expect } from 'bun:test';
import { genesisUtxos } from '../src/avm/genesis/avm-genesis.ts';
import type { Block } from '../src/avm/tx/block.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { plainAddress } from './data-requests.ts';
import { createdBy, exportedBy, exportTarget, refId, spentBy } from './ledger-model.ts';
import { cChain, localGenesis, pChain } from './local-chain.ts';
import type { ModelBlock, ModelTx } from './metrics-model.ts';
import { localChainParams } from './wallet-kit.ts';

/** A transaction in the mempool. `tx`: its content, unless the node made it and it is in no block yet. */
export type PendingTx = {
  readonly id: Id;
  readonly tx?: Tx;
  /** An address whose signature is missing: the transaction is valid only while the address is impersonated. */
  readonly forged?: Address;
  /** The latest lock time of its inputs. */
  readonly lockedUntil?: bigint;
  /** Waiting transactions whose outputs it spends: it is dropped with them. */
  readonly parents?: readonly Id[];
  /** Checks the content of a transaction that the node made. */
  readonly check?: (tx: Tx) => void;
};

/** The chain's clock: seconds ahead of the real clock, or the time at which it is frozen; the time set for the next block. */
export type WalkClock = { readonly offset: bigint; readonly frozenAt?: bigint; readonly next?: bigint };

/** What a state file holds. */
export type ChainPart = {
  readonly blocks: readonly Block[];
  readonly utxos: ReadonlyMap<Id, Utxo>;
  /** Outputs that the X-Chain can import, by source, and outputs that it exported, by destination. */
  readonly deposits: ReadonlyMap<Id, ReadonlyMap<Id, Utxo>>;
  readonly exports: ReadonlyMap<Id, ReadonlyMap<Id, Utxo>>;
  /** The accepted transactions after genesis, oldest first, with the owners of their outputs and inputs. */
  readonly txs: readonly AcceptedTx[];
  readonly stats: readonly ModelBlock[];
  readonly clock: WalkClock;
};

/** `changes`: the balance change of each address and asset, as an event of the transaction must show it. */
export type AcceptedTx = { readonly tx: Tx; readonly owners: ReadonlySet<Address>; readonly changes: readonly string[] };

/** What a snapshot holds. All values are immutable, so a snapshot is the value itself. */
export type WalkState = ChainPart & { readonly pending: readonly PendingTx[] };

/** Parts that neither a snapshot nor a data directory holds. */
export type SessionState = { automine: boolean; readonly impersonated: Set<Address> };

export const realSeconds = (): bigint => BigInt(Math.floor(Date.now() / 1000));

export const timeOf = ({ offset, frozenAt }: WalkClock): bigint => frozenAt ?? realSeconds() + offset;

export const tipOf = ({ blocks }: ChainPart): Block => blocks.at(-1) as Block;

/** The chain at block 0. */
export function genesisState(): WalkState {
  const { x, first } = localGenesis();
  const utxos = x.genesis.assets.flatMap(genesisUtxos);
  const none = new Map<Id, ReadonlyMap<Id, Utxo>>([pChain, cChain].map((chain) => [chain, new Map()]));
  const stats = [{ time: Number(first.time), txs: [{ from: [], to: utxos.flatMap(({ output }) => output.addresses), fee: 0n }] }];
  return {
    blocks: [first],
    utxos: new Map(utxos.map((utxo) => [utxo.id, utxo])),
    deposits: none,
    exports: none,
    txs: x.genesis.assets.map(({ tx }) => ({ tx, owners: new Set(createdBy(tx).flatMap(({ output }) => output.addresses)), changes: [] })),
    stats,
    clock: { offset: 0n },
    pending: [],
  };
}

/** The state after a block. Fails the test if a transaction consumes an output that the model does not have. */
export function applyBlock<T extends ChainPart>(state: T, block: Block): T {
  const utxos = new Map(state.utxos);
  const deposits = new Map([...state.deposits].map(([chain, all]) => [chain, new Map(all)]));
  const exports = new Map([...state.exports].map(([chain, all]) => [chain, new Map(all)]));
  const txs = [...state.txs];
  const counted: ModelTx[] = [];
  for (const tx of block.txs) {
    const { unsigned } = tx;
    const consumed = spentBy(tx).map((id) => take(utxos, id, tx));
    const changes = balanceChanges(consumed, createdBy(tx));
    if (unsigned.kind === 'ImportTx')
      for (const ref of unsigned.importedInputs) consumed.push(take(deposits.get(unsigned.sourceChain) as Map<Id, Utxo>, refId(ref), tx));
    const [created, exported] = [createdBy(tx), exportedBy(tx)];
    for (const utxo of created) utxos.set(utxo.id, utxo);
    for (const utxo of exported) exports.get(exportTarget(tx))?.set(utxo.id, utxo);
    const [from, to] = [ownersOf(consumed), ownersOf([...created, ...exported])];
    txs.push({ tx, owners: new Set([...from, ...to]), changes });
    counted.push({ from, to, fee: sumOfFeeAsset(consumed) - sumOfFeeAsset([...created, ...exported]) });
  }
  const stats = [...state.stats, { time: Number(block.time), txs: counted }];
  return { ...state, blocks: [...state.blocks, block], utxos, deposits, exports, txs, stats };
}

/** One line for each address and asset whose amounts change: of outputs that the address owns alone, and of those with several owners. */
function balanceChanges(spent: readonly Utxo[], created: readonly Utxo[]): string[] {
  const sums = new Map<string, { own: bigint; shared: bigint }>();
  const add = ({ assetID, output }: Utxo, sign: bigint): void => {
    if (!('amount' in output)) return;
    for (const address of output.addresses) {
      const key = `X-${plainAddress({ address })} ${idText(assetID)}`;
      const { own, shared } = sums.get(key) ?? { own: 0n, shared: 0n };
      const amount = sign * output.amount;
      sums.set(key, output.addresses.length === 1 ? { own: own + amount, shared } : { own, shared: shared + amount });
    }
  };
  for (const utxo of spent) add(utxo, -1n);
  for (const utxo of created) add(utxo, 1n);
  return [...sums]
    .filter(([, { own, shared }]) => own !== 0n || shared !== 0n)
    .map(([key, { own, shared }]) => `${key} ${own} ${shared}`)
    .sort();
}

const take = (from: Map<Id, Utxo>, id: Id, tx: Tx): Utxo => {
  const utxo = from.get(id);
  expect([tx.id, id, utxo !== undefined]).toEqual([tx.id, id, true]);
  from.delete(id);
  return utxo as Utxo;
};

const ownersOf = (utxos: readonly Utxo[]): Address[] => utxos.flatMap(({ output }) => output.addresses);

const sumOfFeeAsset = (utxos: readonly Utxo[]): bigint =>
  utxos.reduce((sum, { assetID, output }) => sum + (assetID === localChainParams.feeAsset && 'amount' in output ? output.amount : 0n), 0n);

const withOutput = (all: ChainPart['deposits'], chain: Id, change: (outputs: Map<Id, Utxo>) => void): ChainPart['deposits'] => {
  const outputs = new Map(all.get(chain));
  change(outputs);
  return new Map([...all, [chain, outputs]]);
};

export const addDeposit = <T extends ChainPart>(state: T, source: Id, utxo: Utxo): T => ({
  ...state,
  deposits: withOutput(state.deposits, source, (outputs) => outputs.set(utxo.id, utxo)),
});

export const removeExport = <T extends ChainPart>(state: T, destination: Id, utxoID: Id): T => ({
  ...state,
  exports: withOutput(state.exports, destination, (outputs) => outputs.delete(utxoID)),
});

/** The clock when a block is built: it moves to the time that was set for the next block. */
export const takeNextBlockTime = ({ next, ...clock }: WalkClock): WalkClock =>
  next === undefined ? clock : { ...clock, offset: next - realSeconds(), ...(clock.frozenAt === undefined ? {} : { frozenAt: next }) };

/** The waiting transactions that are valid now; the others are dropped when a block is built. */
export function validPending({ pending, clock, txs }: WalkState, { impersonated }: SessionState): PendingTx[] {
  const known = new Set(txs.map(({ tx }) => tx.id));
  return pending.filter(({ id, forged, lockedUntil = 0n, parents = [] }) => {
    const isValid =
      (forged === undefined || impersonated.has(forged)) && lockedUntil <= timeOf(clock) && parents.every((parent) => known.has(parent));
    if (isValid) known.add(id);
    return isValid;
  });
}

/** The part of a state that a state file holds. */
export const chainPartOf = ({ blocks, utxos, deposits, exports, txs, stats, clock }: ChainPart): ChainPart => ({
  blocks,
  utxos,
  deposits,
  exports,
  txs,
  stats,
  clock,
});

/** Outputs that a key can spend now without other keys. */
export const spendableBy = ({ utxos, clock }: WalkState, { address }: { readonly address: Address }): Utxo[] => {
  const now = timeOf(clock);
  return [...utxos.values()].filter(
    ({ output }) =>
      output.kind === 'secp256k1fx.TransferOutput' &&
      output.threshold === 1 &&
      output.addresses.includes(address) &&
      output.locktime <= now,
  );
};
