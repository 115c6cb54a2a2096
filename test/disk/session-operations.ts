import type { Json } from '../data-requests.ts';
import type { Random } from '../random.ts';
import type { Fact, SessionOrder } from './facts.ts';

export type SessionNode = {
  readonly random: Random;
  readonly accounts: readonly string[];
  readonly dev: (method: string, params?: object) => Promise<Json>;
  readonly say: (fact: Fact) => void;
  /** Sets the clock of the machine forward or back. */
  readonly jump: (seconds: number) => void;
};

/** Does something; returns the transaction that it has issued, if any. A call that the node refuses throws. */
type Operation = (node: SessionNode) => Promise<string | undefined>;

const txOf = (answer: Json): string => answer.txID;

const send: Operation = async ({ random, accounts, dev }) =>
  txOf(await dev('send', { from: random.below(accounts.length), to: random.pick(accounts), amount: 1000 + random.below(1_000_000) }));
/** Both must sign, so it counts for neither of them. */
const sendToMany: Operation = async ({ accounts, dev }) =>
  txOf(await dev('send', { from: 0, to: accounts.slice(0, 2), threshold: 2, amount: 5000, memo: 'disk' }));
const sendMany: Operation = async (node) => {
  let last: string | undefined;
  for (let i = node.random.below(12); i >= 0; i--) last = await send(node);
  return last;
};
const createAsset: Operation = async ({ random, dev, accounts }) => {
  const { assetID } = await dev('createAsset', {
    name: 'Ice',
    symbol: 'ICE',
    supply: '1000',
    owner: random.pick(accounts),
    mintable: true,
  });
  return txOf(await dev('mint', { assetID, to: random.pick(accounts), amount: '7' }));
};
const createNft: Operation = async ({ random, dev, accounts }) => {
  const { assetID } = await dev('createNFT', { name: 'Cards', symbol: 'CARD' });
  return txOf(await dev('mintNFT', { assetID, to: random.pick(accounts), payload: 'ace' }));
};
const exportOut: Operation = async ({ random, dev, accounts }) =>
  txOf(await dev('export', { destinationChain: 'P', from: random.below(accounts.length), amount: '1 AVAX' }));
const depositIn: Operation = async ({ random, dev, accounts }) => {
  await dev('atomicDeposit', { from: 'C', to: random.pick(accounts), amount: '2 AVAX' });
  return undefined;
};
const mine: Operation = async ({ random, dev }) => {
  await dev('mine', { blocks: 1 + random.below(3) });
  return undefined;
};
const moveClock: Operation = async ({ random, dev }) => {
  await dev('increaseTime', { seconds: 1 + random.below(100_000) });
  return undefined;
};
const jumpClock: Operation = async ({ random, jump }) => {
  jump(random.below(200_000) - 100_000);
  return undefined;
};
const snapshot: Operation = async ({ random, dev }) => {
  await dev('snapshot', { name: `s${random.below(3)}` });
  return undefined;
};
const revert: Operation = async ({ random, dev, say }) => {
  const { snapshots } = await dev('listSnapshots');
  if (snapshots.length === 0) return undefined;
  const { name, height } = random.pick<Json>(snapshots);
  say({ kind: 'revert', done: false, height: Number(height) });
  await dev('revert', { name });
  say({ kind: 'revert', done: true, height: Number(height) });
  return undefined;
};
const deleteSnapshot: Operation = async ({ random, dev }) => {
  await dev('deleteSnapshot', { name: `s${random.below(3)}` });
  return undefined;
};
const pauseBlocks: Operation = async ({ random, dev }) => {
  await dev('setAutomine', { enabled: random.below(3) > 0 });
  return undefined;
};

/** A joined node, which does not wait for the disk, cannot be reverted. */
export const operationsOf = (durability: SessionOrder['durability']): readonly Operation[] =>
  durability === 'commit' ? operations : operations.filter((operation) => operation !== revert);

/** Those that are listed more often are done more often. */
const operations: readonly Operation[] = [
  ...Array<Operation>(8).fill(send),
  ...Array<Operation>(3).fill(sendMany),
  sendToMany,
  createAsset,
  createNft,
  exportOut,
  depositIn,
  mine,
  mine,
  moveClock,
  jumpClock,
  snapshot,
  snapshot,
  revert,
  deleteSnapshot,
  pauseBlocks,
];
