import { expect } from 'bun:test';
import { nativeKeyCrypto } from '../src/app/platform/key-crypto.ts';
import type { Block } from '../src/avm/tx/block.ts';
import { avalanchePath, deriveAccounts, testMnemonic } from '../src/avm/wallet/accounts.ts';
import type { Key } from '../src/avm/wallet/key.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { type Id, idText, parseId } from '../src/base/bytes/id.ts';
import { eventually } from './processes.ts';
import type { Random } from './random.ts';
import {
  applyBlock,
  type ChainPart,
  genesisState,
  type PendingTx,
  type SessionState,
  takeNextBlockTime,
  timeOf,
  tipOf,
  validPending,
  type WalkState,
} from './walk-model.ts';
import { blockEvents, revertedEvent, type WalkNode } from './walk-node.ts';
import { createWallet, type Wallet } from './wallet-kit.ts';

/** A node and the model that it is compared with. */
export type Walk = {
  readonly node: WalkNode;
  readonly random: Random;
  state: WalkState;
  readonly session: SessionState;
  readonly snapshots: Map<string, WalkState>;
  /** State files with the state that they hold. */
  files: { readonly bytes: Uint8Array; readonly part: ChainPart }[];
  expectedEvents: string[];
  /** The newest transactions that were issued, on any branch. */
  issued: Id[];
  /** Accounts of the node; keys that only the test has; an address that is impersonated. */
  readonly accounts: readonly Key[];
  readonly wallet: Wallet;
  readonly victim: Key;
  readonly addresses: readonly Address[];
  /** Block 1, which funds the accounts; the same after every reset. */
  readonly funding: Block;
  /** The time at which the walk began. */
  readonly start: bigint;
};

export async function startWalk(node: WalkNode, random: Random): Promise<Walk> {
  const options = { count: 3, mnemonic: testMnemonic, derivationPath: avalanchePath };
  const accounts = deriveAccounts(options, nativeKeyCrypto).map(({ key }) => key);
  const wallet = createWallet('walk', { count: 3 });
  const [victim] = createWallet('victim', { count: 1 }).keys as [Key];
  const funding = await node.blockAt(1);
  const state = applyBlock(genesisState(), funding);
  return {
    node,
    random,
    state,
    session: { automine: true, impersonated: new Set() },
    snapshots: new Map(),
    files: [],
    expectedEvents: [],
    issued: [],
    accounts,
    wallet,
    victim,
    addresses: [...accounts, ...wallet.keys, victim].map(({ address }) => address),
    funding,
    start: timeOf(state.clock),
  };
}

const maxIssued = 40;

/** Adds a transaction that the node has taken to the model's mempool. */
export function addPending(walk: Walk, tx: PendingTx): void {
  walk.state = { ...walk.state, pending: [...walk.state.pending, tx] };
  walk.issued = [tx.id, ...walk.issued].slice(0, maxIssued);
}

/** If blocks are built automatically, waits until the node has built one from the waiting transactions, and compares it. */
export async function settle(walk: Walk): Promise<void> {
  if (!walk.session.automine || walk.state.pending.length === 0) return;
  const isEmpty = (info: { pending: number }) => info.pending === 0;
  expect(await eventually(() => walk.node.dev('nodeInfo'), isEmpty)).toMatchObject({ pending: 0 });
  await acceptPending(walk);
}

/** Moves the clock to the time that was set for the next block. The real clock may have ticked since, so the node's seconds are taken. */
async function moveToNextBlockTime(walk: Walk): Promise<void> {
  if (walk.state.clock.next === undefined) return;
  const clock = takeNextBlockTime(walk.state.clock);
  const { time, offset } = await walk.node.dev('getTime');
  expect(Math.abs(Number(BigInt(time) - timeOf(clock)))).toBeLessThanOrEqual(clock.frozenAt === undefined ? 2 : 0);
  walk.state = { ...walk.state, clock: clock.frozenAt === undefined ? { offset: BigInt(offset) } : clock };
}

/** The node has built a block from the waiting transactions: moves the clock, and compares the block if there is a valid transaction. */
export async function acceptPending(walk: Walk): Promise<boolean> {
  await moveToNextBlockTime(walk);
  const valid = validPending(walk.state, walk.session);
  walk.state = { ...walk.state, pending: [] };
  if (valid.length > 0) await acceptBlock(walk, valid);
  return valid.length > 0;
}

/** Reads the next block from the node, compares it with the expected transactions and adds it to the model. */
async function acceptBlock(walk: Walk, expected: readonly PendingTx[]): Promise<void> {
  const parent = tipOf(walk.state);
  const block = await walk.node.blockAt(Number(parent.height) + 1);
  expect([block.height, block.parentID, block.txs.map(({ id }) => idText(id))]).toEqual([
    parent.height + 1n,
    parent.id,
    expected.map(({ id }) => idText(id)),
  ]);
  checkBlockTime(walk, block, parent.time);
  for (const [i, tx] of block.txs.entries()) expected[i]?.check?.(tx);
  addBlock(walk, block);
}

/** Adds a block that was made without waiting transactions: one BaseTx of account 0 to itself. */
export async function acceptFiller(walk: Walk): Promise<void> {
  await moveToNextBlockTime(walk);
  const parent = tipOf(walk.state);
  const block = await walk.node.blockAt(Number(parent.height) + 1);
  expect([block.parentID, block.txs.length]).toEqual([parent.id, 1]);
  checkBlockTime(walk, block, parent.time);
  const [owner] = walk.accounts as [Key];
  for (const { unsigned } of block.txs) {
    expect([unsigned.kind, unsigned.inputs.length, unsigned.outputs.length]).toEqual(['BaseTx', 1, 1]);
    expect(unsigned.outputs[0]?.output.addresses).toEqual([owner.address]);
  }
  addBlock(walk, block);
}

/** The time is that of the clock, but never before the parent. The real clock goes on between the block and this check. */
function checkBlockTime({ state: { clock } }: Walk, { time, height }: Block, parentTime: bigint): void {
  const now = timeOf(clock);
  const latest = now > parentTime ? now : parentTime;
  const tolerance = clock.frozenAt === undefined ? 5n : 0n;
  expect([height, time <= latest, time >= parentTime, latest - time <= tolerance]).toEqual([height, true, true, true]);
}

export function addBlock(walk: Walk, block: Block): void {
  walk.state = applyBlock(walk.state, block);
  walk.expectedEvents.push(...blockEvents(block, walk.state.txs.slice(-block.txs.length)));
}

/** The state was replaced by an earlier one or by that of a file. */
export function replaceState(walk: Walk, state: WalkState, name: string): void {
  walk.state = state;
  walk.expectedEvents.push(revertedEvent(tipOf(state), name));
}

export const idOf = (text: string): Id => parseId(text);
