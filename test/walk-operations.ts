import { expect } from 'bun:test';
import { formatHex } from '../src/bytes/hex.ts';
import { type Id, idText } from '../src/bytes/id.ts';
import type { Tx } from '../src/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/tx/utxo.ts';
import { type Json, plainAddress } from './data-requests.ts';
import { cChain, pChain } from './local-chain.ts';
import { eventually } from './processes.ts';
import { acceptFiller, acceptPending, addBlock, addPending, idOf, replaceState, settle, type Walk } from './walk.ts';
import { checkAll } from './walk-checks.ts';
import {
  addDeposit,
  chainPartOf,
  genesisState,
  type PendingTx,
  realSeconds,
  removeExport,
  spendableBy,
  timeOf,
  tipOf,
  type WalkClock,
} from './walk-model.ts';
import { baseTx, importTx, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** An operation and how often it is chosen. Returns false if it is not possible now. */
export type Operation = { readonly weight: number; readonly run: (walk: Walk) => Promise<unknown> };

const avax = localChainParams.feeAsset;
/** All changes of the time are multiples of this, and locks are half of it off, so that the seconds of the walk itself do not matter. */
const timeUnit = 5000n;

const addressText = (key: Pick<Key, 'address'>): string => `X-${plainAddress(key)}`;
const below = ({ random }: Walk, end: number): bigint => BigInt(1 + random.below(end));

/** Outputs of a key in AVAX that no waiting transaction of the test consumes. */
const freeOutputs = ({ state }: Walk, key: Key): Utxo[] => {
  const taken = new Set(
    state.pending.flatMap(({ tx }) => tx?.unsigned.inputs.map(({ txID, outputIndex }) => `${txID} ${outputIndex}`) ?? []),
  );
  return spendableBy(state, key).filter(({ assetID, txID, outputIndex }) => assetID === avax && !taken.has(`${txID} ${outputIndex}`));
};

async function issueRaw(walk: Walk, tx: Tx, facts: Omit<PendingTx, 'id' | 'tx'> = {}): Promise<void> {
  const { error } = await walk.node.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  expect(error).toBeUndefined();
  addPending(walk, { id: tx.id, tx, ...facts });
  await settle(walk);
}

const lockOf = (utxos: readonly Utxo[]): bigint =>
  utxos.reduce((latest, { output }) => (output.locktime > latest ? output.locktime : latest), 0n);

/** A signed transfer of a key of the test, sometimes locked or to two owners. */
async function issueTransfer(walk: Walk): Promise<boolean> {
  const { random, wallet, state } = walk;
  const key = random.pick(wallet.keys);
  const utxos = freeOutputs(walk, key).slice(0, 3);
  const now = timeOf(state.clock);
  const sum = utxos.reduce((total, { output }) => total + ('amount' in output ? output.amount : 0n), 0n);
  if (sum < 2_000_000n) return false;
  const to = [random.pick(wallet.keys), walk.victim];
  const owners =
    random.below(4) === 0 ? ownedBy(to, 1 + random.below(2)) : ownedBy(to.slice(0, 1), 1, random.below(3) === 0 ? lockTime(walk) : 0n);
  const sent = [transfer(avax, 1n + (sum - 1_000_000n) / 3n, owners)];
  await issueRaw(walk, signDraft(baseTx({ ...wallet, keys: [key] }, { utxos, now, memo: random.bytes(8) }, sent)), {
    lockedUntil: lockOf(utxos),
  });
  return true;
}

const lockTime = (walk: Walk): bigint => {
  const units = (timeOf(walk.state.clock) - walk.start) / timeUnit + below(walk, 4);
  return walk.start + units * timeUnit + timeUnit / 2n;
};

/** Spends an output of the victim with the signature of another key: refused, unless the victim is impersonated. */
async function issueForged(walk: Walk): Promise<boolean> {
  const { victim, session, wallet, node, state } = walk;
  const [utxo] = freeOutputs(walk, victim).filter(({ output }) => output.addresses.length === 1);
  if (utxo === undefined || !('amount' in utxo.output) || utxo.output.amount < 2_000_000n) return false;
  const forger = { ...victim, sign: (wallet.keys[0] as Key).sign };
  const sent = [transfer(avax, 5n, ownedBy([wallet.keys[0] as Key]))];
  const funds = { utxos: [utxo], now: timeOf(state.clock), memo: walk.random.bytes(8) };
  const tx = signDraft(baseTx({ ...wallet, keys: [forger] }, funds, sent));
  if (session.impersonated.has(victim.address)) {
    await issueRaw(walk, tx, { forged: victim.address, lockedUntil: lockOf([utxo]) });
    return true;
  }
  const { error } = await node.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  expect(error).toBeDefined();
  return true;
}

/** Imports a deposit for a key of the test. */
async function importDeposit(walk: Walk): Promise<boolean> {
  const { state, wallet, random } = walk;
  const source = random.pick([pChain, cChain]);
  const taken = new Set(
    state.pending.flatMap(({ tx }) => (tx?.unsigned.kind === 'ImportTx' ? tx.unsigned.importedInputs.map(({ txID }) => txID) : [])),
  );
  const deposit = [...(state.deposits.get(source)?.values() ?? [])].find(
    ({ txID, output }) => !taken.has(txID) && wallet.keys.some(({ address }) => output.addresses[0] === address),
  );
  if (deposit === undefined) return false;
  await issueRaw(walk, signDraft(importTx(wallet, { utxos: [], memo: random.bytes(8) }, source, [deposit])));
  return true;
}

/** Calls a `dev.*` method that makes a transaction. It may fail for lack of outputs only while transactions wait. */
async function makeTx(walk: Walk, method: string, params: unknown, check?: (tx: Tx) => void): Promise<boolean> {
  const { result, error } = await walk.node.call('/ext/dev', `dev.${method}`, params);
  if (error !== undefined) {
    const isBusy = walk.state.pending.length > 0 && ['DEV_INSUFFICIENT_FUNDS', 'DEV_CANNOT_MINT'].includes(error.data?.code);
    expect([method, params, isBusy ? undefined : error]).toEqual([method, params, undefined]);
    return false;
  }
  const id = idOf(result.txID);
  addPending(walk, { id, ...(check && { check }) });
  await settle(walk);
  return true;
}

/** Checks that a transaction creates an output with this amount for this owner. */
const pays = (asset: Id, amount: bigint, key: Key) => (tx: Tx) =>
  expect(
    tx.unsigned.outputs.some(
      ({ assetID, output }) => assetID === asset && output.amount === amount && output.addresses.includes(key.address),
    ),
  ).toBe(true);

async function send(walk: Walk): Promise<boolean> {
  const { random, wallet, victim } = walk;
  const [to, amount] = [random.pick([...wallet.keys, victim]), 3_000_000n + below(walk, 1e9)];
  return makeTx(walk, 'send', { from: random.below(4), to: addressText(to), amount: String(amount), memo: 'walk' }, pays(avax, amount, to));
}

async function faucet(walk: Walk): Promise<boolean> {
  const to = walk.random.pick(walk.wallet.keys);
  return makeTx(walk, 'faucet', { to: addressText(to), amount: '2 AVAX' }, pays(avax, 2_000_000_000n, to));
}

const isAccount0 = (walk: Walk, { output }: Utxo): boolean =>
  output.addresses.length === 1 && output.addresses[0] === walk.accounts[0]?.address;

/** An unspent output of account 0 of a kind. */
const pickOutput = (walk: Walk, kind: Utxo['output']['kind']): Utxo | undefined => {
  const found = [...walk.state.utxos.values()].filter((utxo) => utxo.output.kind === kind && isAccount0(walk, utxo));
  return found.length === 0 ? undefined : walk.random.pick(found);
};

const createAsset = (walk: Walk): Promise<boolean> =>
  makeTx(walk, 'createAsset', { name: 'Gold', symbol: 'GLD', denomination: 2, supply: '1000', mintable: true });
const createNFT = (walk: Walk): Promise<boolean> => makeTx(walk, 'createNFT', { name: 'Art', symbol: 'ART', groups: 2 });
const createProperty = (walk: Walk): Promise<boolean> => makeTx(walk, 'createProperty', { name: 'House', symbol: 'HSE' });

/** Mints an asset of any kind; creates one if there is none. */
async function mint(walk: Walk): Promise<boolean> {
  const [kind, method, create, params] = walk.random.pick([
    ['secp256k1fx.MintOutput', 'mint', createAsset, { amount: '7' }],
    ['nftfx.MintOutput', 'mintNFT', createNFT, { payload: 'hello' }],
    ['propertyfx.MintOutput', 'mintProperty', createProperty, {}],
  ] as const);
  const minter = pickOutput(walk, kind);
  if (minter === undefined) return create(walk);
  return makeTx(walk, method, { assetID: idText(minter.assetID), to: addressText(walk.accounts[0] as Key), ...params });
}

/** Sends an NFT, or burns a property; a waiting transaction may consume it already. */
async function moveSpecial(walk: Walk): Promise<boolean> {
  const [nft, property] = [pickOutput(walk, 'nftfx.TransferOutput'), pickOutput(walk, 'propertyfx.OwnedOutput')];
  const [method, params] =
    nft === undefined
      ? ['burnProperty', { utxoID: property && idText(property.id) }]
      : ['sendNFT', { utxoID: idText(nft.id), to: addressText(walk.victim) }];
  if ((nft ?? property) === undefined || walk.state.pending.length > 0) return false;
  return makeTx(walk, method as string, params);
}

async function exportOut(walk: Walk): Promise<boolean> {
  const destinationChain = walk.random.pick(['P', 'C']);
  return makeTx(walk, 'export', { destinationChain, amount: String(below(walk, 1e6)), from: walk.random.below(4) });
}

async function claim(walk: Walk): Promise<boolean> {
  const chain = walk.random.pick([pChain, cChain]);
  const [utxoID] = [...(walk.state.exports.get(chain)?.keys() ?? [])];
  if (utxoID === undefined) return false;
  await walk.node.dev('claimExport', { utxoID: idText(utxoID) });
  walk.state = removeExport(walk.state, chain, utxoID);
  return true;
}

async function deposit(walk: Walk): Promise<void> {
  const [from, chain] = walk.random.pick([
    ['P', pChain],
    ['C', cChain],
  ] as const);
  const key = walk.random.pick(walk.wallet.keys);
  const amount = 4_000_000n + below(walk, 1e6);
  const { utxoID } = await walk.node.dev('atomicDeposit', { from, to: addressText(key), amount: String(amount) });
  const { utxos } = await walk.node.dev('listAtomic');
  const { txID } = utxos.find((one: Json) => one.utxoID === utxoID);
  const utxo = makeUtxo(idOf(txID), 0, avax, transfer(avax, amount, ownedBy([key])).output);
  expect(idText(utxo.id)).toBe(utxoID);
  walk.state = addDeposit(walk.state, chain, utxo);
}

async function mine(walk: Walk): Promise<void> {
  const blocks = 1 + walk.random.below(3);
  const { height, filler } = await walk.node.dev('mine', { blocks });
  let fillers = 0;
  for (let i = 0; i < blocks; i++) {
    const hasBlock = walk.state.pending.length > 0 && (await acceptPending(walk));
    if (hasBlock) continue;
    fillers++;
    await acceptFiller(walk);
  }
  expect([height, filler]).toEqual([String(tipOf(walk.state).height), fillers > 0]);
}

async function dropTx(walk: Walk): Promise<boolean> {
  const { pending } = walk.state;
  if (pending.length === 0) return false;
  const { id } = walk.random.pick(pending);
  await walk.node.dev('dropTx', { txID: idText(id) });
  walk.state = { ...walk.state, pending: pending.filter((tx) => tx.id !== id) };
  return true;
}

async function changePolicy(walk: Walk): Promise<void> {
  walk.session.automine = walk.random.below(3) > 0;
  await walk.node.dev('setAutomine', { enabled: walk.session.automine });
  await settle(walk);
}

/** A block by time: waits for one interval. */
async function mineByTime(walk: Walk): Promise<boolean> {
  if (walk.session.automine || walk.state.pending.length === 0) return false;
  await walk.node.dev('setIntervalMining', { seconds: 1 });
  await eventually(
    () => walk.node.dev('nodeInfo'),
    (info: Json) => info.pending === 0,
  );
  await walk.node.dev('setIntervalMining', { seconds: 0 });
  await acceptPending(walk);
  return true;
}

type TimeChange = readonly [method: string, params: (walk: Walk) => unknown, next: (walk: Walk) => WalkClock];

const nextTime = ({ state, start }: Walk, units: bigint): bigint => {
  const now = timeOf(state.clock);
  const latest = now > tipOf(state).time ? now : tipOf(state).time;
  return start + ((latest - start) / timeUnit + units) * timeUnit;
};

const timeChanges: readonly TimeChange[] = [
  ['increaseTime', () => ({ seconds: Number(timeUnit) }), ({ state: { clock } }) => moved(clock, timeOf(clock) + timeUnit)],
  ['setTime', (walk) => ({ time: String(nextTime(walk, 1n)) }), (walk) => moved(walk.state.clock, nextTime(walk, 1n))],
  ['setTime', ({ start }) => ({ time: String(start) }), ({ state, start }) => moved(state.clock, start)],
  ['setNextBlockTime', (walk) => ({ time: String(nextTime(walk, 2n)) }), (walk) => ({ ...walk.state.clock, next: nextTime(walk, 2n) })],
  ['freezeTime', () => ({}), ({ state: { clock } }) => ({ ...clock, frozenAt: timeOf(clock) })],
  ['resetTime', () => ({}), () => ({ offset: 0n })],
];

const moved = (clock: WalkClock, time: bigint): WalkClock => ({
  ...clock,
  offset: time - realSeconds(),
  ...(clock.frozenAt === undefined ? {} : { frozenAt: time }),
});

/** The real clock may tick between the call and the model, so the model takes the node's seconds if they are near. */
async function changeTime(walk: Walk): Promise<void> {
  const [method, params, next] = walk.random.pick(timeChanges);
  const before = next(walk);
  const given = params(walk);
  const { time, offset, frozen } = await walk.node.dev(method, given);
  const expected = { ...next(walk), ...(method === 'setNextBlockTime' ? { next: before.next as bigint } : {}) };
  expect([method, frozen, Math.abs(Number(BigInt(time) - timeOf(expected))) <= 2]).toEqual([method, expected.frozenAt !== undefined, true]);
  const own = expected.frozenAt === undefined ? { offset: BigInt(offset) } : { offset: expected.offset, frozenAt: BigInt(time) };
  walk.state = { ...walk.state, clock: { ...(expected.next === undefined ? {} : { next: expected.next }), ...own } };
}

async function snapshot(walk: Walk): Promise<void> {
  const wanted = walk.random.below(3) === 0 ? undefined : `s${walk.random.below(5)}`;
  const { name, height } = await walk.node.dev('snapshot', wanted === undefined ? {} : { name: wanted });
  expect([name, height]).toEqual([wanted ?? nextFreeName(walk), String(tipOf(walk.state).height)]);
  walk.snapshots.delete(name);
  walk.snapshots.set(name, walk.state);
}

const nextFreeName = ({ snapshots }: Walk): string => {
  for (let number = snapshots.size + 1; ; number++) if (!snapshots.has(String(number))) return String(number);
};

/** Reverts to any snapshot, also of a branch that was left. */
async function revert(walk: Walk): Promise<boolean> {
  const names = [...walk.snapshots.keys()];
  if (names.length === 0) return false;
  const name = walk.random.pick(names);
  await checkDiff(walk, name);
  const saved = walk.snapshots.get(name) as Walk['state'];
  const { height, time } = await walk.node.dev('revert', { name });
  const { height: wantedHeight, time: wantedTime } = tipOf(saved);
  expect([name, height, time]).toEqual([name, String(wantedHeight), String(wantedTime)]);
  replaceState(walk, saved, name);
  await settle(walk);
  await checkAll(walk, 'newest');
  return true;
}

async function checkDiff(walk: Walk, name: string): Promise<void> {
  const { blocks } = await walk.node.dev('diff', { from: name });
  const [old, now] = [(walk.snapshots.get(name) as Walk['state']).blocks, walk.state.blocks].map((all) => all.map(({ id }) => idText(id)));
  const ids = (list: Json[]) => list.map(({ blockID }) => blockID).sort();
  expect([ids(blocks.added), ids(blocks.removed)]).toEqual([
    (now ?? []).filter((id) => !old?.includes(id)).sort(),
    (old ?? []).filter((id) => !now?.includes(id)).sort(),
  ]);
}

async function deleteSnapshot(walk: Walk): Promise<boolean> {
  if (walk.snapshots.size < 5) return false;
  const name = walk.random.pick([...walk.snapshots.keys()]);
  await walk.node.dev('deleteSnapshot', { name });
  walk.snapshots.delete(name);
  return true;
}

async function reset(walk: Walk): Promise<void> {
  expect(await walk.node.dev('reset')).toMatchObject({ height: '1' });
  replaceState(walk, genesisState(), 'reset');
  const block = await walk.node.blockAt(1);
  expect(block.id).toBe(walk.funding.id);
  addBlock(walk, block);
  await checkAll(walk);
}

const maxFiles = 3;

async function saveState(walk: Walk): Promise<void> {
  const bytes = await walk.node.saveState();
  walk.files = [{ bytes, part: chainPartOf(walk.state) }, ...walk.files].slice(0, maxFiles);
}

async function loadState(walk: Walk): Promise<boolean> {
  if (walk.files.length === 0) return false;
  const { bytes, part } = walk.random.pick(walk.files);
  await walk.node.loadState(bytes);
  replaceState(walk, { ...walk.state, ...part, pending: [] }, 'state file');
  await checkAll(walk);
  return true;
}

/** A data directory keeps blocks, clock, snapshots and event log; a state file keeps the blocks and what lies between the chains. */
async function restart(walk: Walk): Promise<void> {
  const { mode } = walk.node;
  const isOnDisk = mode.keeps === 'data directory';
  await walk.node.restart(isOnDisk && walk.random.below(2) === 0 ? 'SIGKILL' : 'SIGTERM');
  walk.session.automine = true;
  walk.session.impersonated.clear();
  walk.state = { ...walk.state, pending: [], ...(isOnDisk ? {} : { clock: { offset: 0n } }) };
  if (!isOnDisk) {
    walk.snapshots.clear();
    walk.expectedEvents.push('reset');
  }
  await checkAll(walk);
}

async function impersonate(walk: Walk): Promise<void> {
  const { address } = walk.victim;
  const isOn = walk.session.impersonated.has(address);
  await walk.node.dev(isOn ? 'stopImpersonating' : 'impersonate', { address: addressText(walk.victim) });
  if (isOn) walk.session.impersonated.delete(address);
  else walk.session.impersonated.add(address);
}

export const operations: { readonly [name: string]: Operation } = {
  issueTransfer: { weight: 150, run: issueTransfer },
  issueForged: { weight: 40, run: issueForged },
  importDeposit: { weight: 40, run: importDeposit },
  send: { weight: 100, run: send },
  faucet: { weight: 60, run: faucet },
  mint: { weight: 60, run: mint },
  moveSpecial: { weight: 30, run: moveSpecial },
  export: { weight: 40, run: exportOut },
  claim: { weight: 30, run: claim },
  deposit: { weight: 40, run: deposit },
  mine: { weight: 60, run: mine },
  dropTx: { weight: 15, run: dropTx },
  changePolicy: { weight: 50, run: changePolicy },
  mineByTime: { weight: 2, run: mineByTime },
  changeTime: { weight: 90, run: changeTime },
  impersonate: { weight: 25, run: impersonate },
  snapshot: { weight: 60, run: snapshot },
  deleteSnapshot: { weight: 20, run: deleteSnapshot },
  revert: { weight: 55, run: revert },
  reset: { weight: 4, run: reset },
  saveState: { weight: 6, run: saveState },
  loadState: { weight: 6, run: loadState },
  restart: { weight: 5, run: restart },
};
