import type { EngineBlock, Vm } from '../../src/avm/vm.ts';
import { type Id, idOf, zeroId } from '../../src/base/bytes/id.ts';
import type { GossipPool } from '../../src/network/gossip/tx-gossip.ts';

/** What survives a crash of a simulated node. */
export type Disk = { readonly blocks: Map<Id, Uint8Array>; readonly heights: Id[] };

/**
 * A small chain for most simulations. A transaction is a text `name:input`; an input is spent once. A block is its parent, height, time, a
 * number that makes it unique, and its transactions.
 */
type FakeBlock = EngineBlock & { readonly txs: readonly string[] };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeBlock(parent: Id, height: bigint, time: bigint, unique: number, txs: readonly string[]): Uint8Array {
  return encoder.encode([parent, height, time, unique, ...txs].join('|'));
}

export function decodeBlock(bytes: Uint8Array): FakeBlock {
  const [parentID = '', height = '', time = '', , ...txs] = decoder.decode(bytes).split('|');
  if (!/^[0-9a-f]{64}$/.test(parentID) || !/^\d{1,18}$/.test(height)) throw new Error('malformed block');
  return { id: idOf(bytes), parentID: parentID as Id, height: BigInt(height), time: BigInt(time), bytes, txs };
}

const genesisBytes = encodeBlock(zeroId, 0n, 1_700_000_000n, 0, []);
export const genesisId = idOf(genesisBytes);
export const newDisk = (): Disk => ({ blocks: new Map([[genesisId, genesisBytes]]), heights: [genesisId] });

const inputOf = (tx: string): string => tx.split(':')[1] ?? '';
const isValidTx = (tx: string): boolean => /^t\d+:i\d+$/.test(tx);

type FakeChainOptions = {
  readonly now: () => number;
  /** Resolves after a virtual delay; never for a node that crashed. */
  readonly delay: (milliseconds: number) => Promise<void>;
  readonly preverifyMilliseconds: () => number;
  /** 0: blocks are stored at once. */
  readonly acceptMilliseconds: () => number;
  readonly unique: () => number;
  readonly onAccepted: (block: FakeBlock) => void;
};

type FakeChain = {
  readonly vm: Vm;
  readonly pool: GossipPool;
  readonly issue: (tx: string) => boolean;
  readonly isAccepted: (tx: string) => boolean;
};

const maxBlockTxs = 8;

export function createFakeChain(disk: Disk, options: FakeChainOptions): FakeChain {
  const decoded = new Map<Id, FakeBlock>();
  const processing = new Map<Id, FakeBlock>();
  const pool = new Map<string, { readonly id: Id; readonly bytes: Uint8Array }>();
  const poolIds = new Set<Id>();
  const accepted = new Set<string>();
  const spent = new Set<string>();
  const building = new Map<Id, readonly string[]>();
  let preferred = disk.heights.at(-1) as Id;
  let listener = (): void => {};
  let isBootstrapping = false;

  const stored = (id: Id): FakeBlock | undefined => {
    const bytes = disk.blocks.get(id);
    const block = decoded.get(id) ?? (bytes && decodeBlock(bytes));
    if (block !== undefined && bytes !== undefined) decoded.set(id, block);
    return bytes === undefined ? undefined : block;
  };
  const lastAccepted = (): Id => disk.heights.at(-1) as Id;
  const apply = (block: FakeBlock): void => {
    for (const tx of block.txs) {
      accepted.add(tx);
      spent.add(inputOf(tx));
    }
  };
  for (const id of disk.heights) apply(stored(id) as FakeBlock);

  const removeTx = (tx: string): void => {
    const item = pool.get(tx);
    if (item === undefined) return;
    pool.delete(tx);
    poolIds.delete(item.id);
  };
  const isSpendable = (tx: string): boolean => isValidTx(tx) && !spent.has(inputOf(tx));
  const add = (tx: string): boolean => {
    if (pool.has(tx) || !isSpendable(tx)) return false;
    for (const other of pool.keys()) if (inputOf(other) === inputOf(tx)) return false;
    const bytes = encoder.encode(tx);
    const item = { id: idOf(bytes), bytes };
    pool.set(tx, item);
    poolIds.add(item.id);
    listener();
    return true;
  };
  /** Inputs spent by a processing block and its processing ancestors. */
  const spentBy = (id: Id): Set<string> => {
    const inputs = new Set<string>();
    for (let block = processing.get(id); block !== undefined; block = processing.get(block.parentID))
      for (const tx of block.txs) inputs.add(inputOf(tx));
    return inputs;
  };
  const verify = (candidate: EngineBlock): void => {
    const block = candidate as FakeBlock;
    const parent = processing.get(block.parentID) ?? (block.parentID === lastAccepted() ? stored(block.parentID) : undefined);
    if (parent === undefined) throw new Error('the parent is neither processing nor last accepted');
    if (processing.has(block.id)) throw new Error('already processing');
    if (block.height !== parent.height + 1n || block.time < parent.time) throw new Error('wrong height or time');
    if (Number(block.time) * 1000 > options.now() + 10_000) throw new Error('too far in the future');
    const inputs = spentBy(block.parentID);
    for (const tx of block.txs) {
      if (!isSpendable(tx) || inputs.has(inputOf(tx))) throw new Error(`invalid transaction ${tx}`);
      inputs.add(inputOf(tx));
    }
    if (block.txs.length === 0) throw new Error('no transactions');
    processing.set(block.id, block);
    building.delete(block.id);
    for (const tx of block.txs) removeTx(tx);
  };
  const store = (id: Id): void => {
    const block = processing.get(id);
    if (block === undefined || block.parentID !== lastAccepted()) throw new Error('not a processing child of the last accepted block');
    disk.blocks.set(id, block.bytes);
    disk.heights.push(id);
    processing.delete(id);
    apply(block);
    for (const tx of [...pool.keys()]) if (spent.has(inputOf(tx))) removeTx(tx);
    options.onAccepted(block);
  };
  const accept = (ids: readonly Id[]): void | Promise<void> => {
    const milliseconds = options.acceptMilliseconds();
    if (milliseconds > 0) return options.delay(milliseconds).then(() => ids.forEach(store));
    ids.forEach(store);
  };
  const buildBlock = (): EngineBlock | undefined => {
    const parent = processing.get(preferred) ?? stored(preferred);
    if (parent === undefined || isBootstrapping) return undefined;
    const inputs = spentBy(parent.id);
    const txs = [...pool.keys()].filter((tx) => !inputs.has(inputOf(tx))).slice(0, maxBlockTxs);
    if (txs.length === 0) return undefined;
    const seconds = BigInt(Math.floor(options.now() / 1000));
    const time = seconds > parent.time ? seconds : parent.time;
    const block = decodeBlock(encodeBlock(parent.id, parent.height + 1n, time, options.unique(), txs));
    building.set(block.id, txs);
    for (const tx of txs) removeTx(tx);
    return block;
  };

  const vm: Vm = {
    lastAccepted,
    blockIdAtHeight: (height) => disk.heights[Number(height)],
    build: buildBlock,
    nextBuildTime: () => Number((processing.get(preferred) ?? stored(preferred))?.time ?? 0n) * 1000 + 1000,
    parse: decodeBlock,
    block: (id) => processing.get(id) ?? stored(id),
    blockBytes: (id) => (processing.get(id) ?? stored(id))?.bytes,
    preverify: () => options.delay(options.preverifyMilliseconds()),
    verify,
    accept,
    reject: (id) => {
      const txs = processing.get(id)?.txs ?? building.get(id) ?? [];
      processing.delete(id);
      building.delete(id);
      txs.forEach(add);
    },
    setPreference: (id) => {
      preferred = id;
    },
    setBootstrapping: (on) => {
      isBootstrapping = on;
    },
    onWork: (next) => {
      listener = next;
    },
    waiting: () => pool.size,
  };
  return {
    vm,
    pool: {
      has: (id) => poolIds.has(id),
      add: (bytes) => !isBootstrapping && add(decoder.decode(bytes)),
      items: () => pool.values(),
      count: () => pool.size,
    },
    issue: (tx) => !isBootstrapping && add(tx),
    isAccepted: (tx) => accepted.has(tx),
  };
}
