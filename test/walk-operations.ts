import { expect } from 'bun:test';
import { idText } from '../src/base/bytes/id.ts';
import type { Json } from './data-requests.ts';
import { eventually } from './processes.ts';
import { acceptFiller, acceptPending, addBlock, replaceState, settle, type Walk } from './walk.ts';
import { checkAll, checkEvents } from './walk-checks.ts';
import { chainPartOf, genesisState, realSeconds, timeOf, tipOf, type WalkClock } from './walk-model.ts';
import { addressText, type Operation, timeUnit, transactionOperations } from './walk-transactions.ts';

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

/** A data directory keeps blocks, clock, snapshots and event log; a state file keeps the blocks, the clock and what lies between the chains. */
async function restart(walk: Walk): Promise<void> {
  const { mode } = walk.node;
  const isOnDisk = mode.keeps === 'data directory';
  // The event log of a chain in memory is lost.
  if (!isOnDisk) await followEvents(walk);
  await walk.node.restart(isOnDisk && walk.random.below(2) === 0 ? 'SIGKILL' : 'SIGTERM');
  walk.session.automine = true;
  walk.session.impersonated.clear();
  walk.state = { ...walk.state, pending: [] };
  if (!isOnDisk) {
    walk.snapshots.clear();
    walk.expectedEvents.push('reset the ID is not one of this stream');
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

/** Closes the event stream for some steps, or resumes it: reverted blocks are then read from their copies. */
const toggleEvents = async (walk: Walk): Promise<void> => void (await walk.node.toggleEvents());

/** Resumes the event stream if it is closed, and compares all events. */
export async function followEvents(walk: Walk): Promise<void> {
  if (!walk.node.isFollowing()) await walk.node.toggleEvents();
  await checkEvents(walk);
}

export const operations: { readonly [name: string]: Operation } = {
  ...transactionOperations,
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
  toggleEvents: { weight: 20, run: toggleEvents },
  restart: { weight: 5, run: restart },
};
