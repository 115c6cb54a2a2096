import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '../src/bytes/address.ts';
import { toHex } from '../src/bytes/hex.ts';
import { type Id, idOf } from '../src/bytes/id.ts';
import { Fault } from '../src/fault.ts';
import { tablesOf } from '../src/state/schema.ts';
import { isTransfer } from '../src/state/stored-utxo.ts';
import type { Store } from '../src/store/store.ts';
import { type Block, makeBlock, parseBlock } from '../src/tx/block.ts';
import { parseTx, type Tx } from '../src/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/tx/utxo.ts';
import { createGenerator, type Generator } from './generator.ts';
import { type Model, madeBy } from './ledger-model.ts';
import { cChain, type LocalChain, localModel, openLocalChain, pChain, startByHand } from './local-chain.ts';
import { createRandom, type Random } from './random.ts';
import { amountUpTo, type Case, chance } from './random-world.ts';
import { auditState, balanceLines, historyOf, sharedIds, stateHash } from './state-audit.ts';
import { createWallet, ewoq, ownedBy, transfer } from './wallet-kit.ts';

/** Blocks of random transactions; SERAC_RANDOM_BLOCKS asks for more, SERAC_SEED for others. */
const blocks = Number(process.env.SERAC_RANDOM_BLOCKS ?? 300);
const seed = Number(process.env.SERAC_SEED ?? 3);

const folder = mkdtempSync(join(tmpdir(), 'serac-random-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const places = [
  { name: 'in memory, as strict as the peer', strict: true, count: blocks },
  { name: 'in a file', strict: false, path: join(folder, 'chain.sqlite'), count: Math.ceil(blocks / 3) },
];

describe(`random transactions of every kind, seed ${seed}`, () => {
  for (const { name, count, ...place } of places)
    test(`${name}: ${count} blocks`, () => {
      const run = createRun(place);
      for (let height = 1; height <= count; height++) orSay(`seed ${seed}, step ${height}`, run.step);
      expect(auditState(run.local.store.db)).toEqual([]);
      expect(replayed(run)).toBe(stateHash(run.local.store.db));
      run.local.close();
    }, 600_000);
});

const { utxo, spend } = tablesOf(1);

type Deposit = { readonly height: bigint; readonly from: Id; readonly utxo: Utxo };
type Run = { readonly local: LocalChain; readonly deposits: readonly Deposit[]; readonly step: () => void };

function createRun(place: { strict: boolean; path?: string }): Run {
  const random = createRandom(seed);
  let clock = 1_763_000_000n;
  const now = () => clock;
  const decided: Block[] = [];
  const local = openLocalChain({ ...place, now, onAccepted: (block) => decided.push(block) });
  const engine = startByHand(local.chain, now);
  const model = localModel();
  const wallet = createWallet('random chain', { keys: [ewoq], count: 6 });
  const lockedUntil = () => clock + BigInt(1 + random.below(120));
  const generator = createGenerator({ random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holds: true });
  const deposits: Deposit[] = [];

  const deposit = (): void => {
    const assetID = chance(random, 70) ? wallet.terms.feeAsset : random.pick([...model.assets.keys()]);
    const { output } = transfer(assetID, amountUpTo(random, 1n << 40n), ownedBy([random.pick(wallet.keys)]));
    const utxo = makeUtxo(idOf(random.bytes(32)), random.below(3), assetID, output);
    const from = random.pick([pChain, cChain]);
    deposits.push({ height: local.state.height(), from, utxo });
    local.deposit(from, utxo);
    model.deposit(from, utxo);
  };

  /** Transactions come in one by one, good and bad, and wait for the engine. */
  const issued = (): void => {
    const waiting = new Set<Id>();
    for (let i = 0; i < 4 + random.below(9); i++) {
      const one = generator.next();
      if (one === undefined) break;
      const id = issue(local, one);
      if (id !== undefined) waiting.add(id);
    }
    engine.decide();
    const taken = decided.flatMap(({ txs }) => txs);
    expect(new Set(taken.map(({ id }) => id))).toEqual(waiting);
    for (const tx of taken) model.apply(tx);
  };

  /** Each one may depend on the one before it: the queue issues them in turn, a block for each. */
  const inTurn = (): void => {
    const chained = dependent(generator, model.apply, 2 + random.below(3));
    for (const tx of chained) local.chain.issueInTurn(tx);
    engine.decide();
    expect(decided.flatMap(({ txs }) => txs.map(({ id }) => id))).toEqual(chained.map(({ id }) => id));
  };

  /** A block from elsewhere, whose transactions may depend on each other; before it come some that nobody may accept. */
  const foreign = (): void => {
    const hashes = chance(random, 10) ? [stateHash(local.store.db)] : [];
    const txs = dependent(generator, model.apply, 1 + random.below(6));
    const { id: parentID, height } = local.state.lastAccepted();
    const good = { parentID, height: height + 1n, time: clock, txs };
    for (const [what, bytes] of badBlocks(random, good)) {
      expect([what, codeOf(() => local.chain.verify(local.chain.parse(bytes)))]).toEqual([what, expect.stringMatching(/^(BLOCK|CODEC)_/)]);
      expect(local.chain.processing()).toBe(0);
    }
    for (const before of hashes) expect(stateHash(local.store.db)).toBe(before);
    const block = local.chain.parse(makeBlock(good).bytes);
    const sibling = local.chain.parse(makeBlock({ ...good, time: clock + 1n }).bytes);
    for (const one of [sibling, block]) local.chain.verify(one);
    local.chain.setPreference(block.id);
    local.chain.accept(block.id);
    expect(local.chain.lastAccepted()).toBe(block.id);
    drop(local, sibling.id);
  };

  const step = (): void => {
    clock += BigInt(random.below(5));
    decided.length = 0;
    const spentBefore = model.spent.length;
    const acceptedBefore = model.accepted.length;
    if (chance(random, 40)) deposit();
    generator.settled();
    random.pick([issued, issued, issued, issued, inTurn, foreign])();
    engine.decide();
    const touched = [...model.spent.slice(spentBefore), ...model.accepted.slice(acceptedBefore).flatMap(madeBy)];
    checkBlock(local, model, touched);
    if (chance(random, 4)) expect(auditState(local.store.db)).toEqual([]);
  };
  return { local, deposits, step };
}

/** Issues one as a caller would; its id if it waits now. */
function issue({ chain }: LocalChain, { name, bytes, expected }: Case): Id | undefined {
  let id: Id | undefined;
  const code = codeOf(() => {
    const tx = parseTx(bytes);
    chain.issue(tx);
    id = tx.id;
  });
  if (expected === 'either') return id;
  const wanted = expected === 'accepted' ? undefined : (expected.refused ?? expect.any(String));
  expect({ name, code, bytes: Buffer.from(bytes).toString('hex') }).toEqual({ name, code: wanted, bytes: expect.any(String) });
  return id;
}

/** Good transactions, each made on what the ones before it leave. */
function dependent(generator: Generator, apply: (tx: Tx) => void, count: number): Tx[] {
  return Array.from({ length: count }, () => {
    const tx = generator.good();
    if (tx === undefined) return [];
    apply(tx);
    generator.settled();
    return [tx];
  }).flat();
}

/** Nothing of a rejected sibling stays: its transactions are accepted already, so they do not even wait again. */
function drop({ chain }: LocalChain, id: Id): void {
  chain.reject(id);
  expect(chain.processing()).toBe(0);
  expect(chain.mempool.size().txs).toBe(0);
}

function badBlocks(random: Random, good: Parameters<typeof makeBlock>[0]): [string, Uint8Array][] {
  const of = (change: Partial<typeof good>): Uint8Array => makeBlock({ ...good, ...change }).bytes;
  const broken = Uint8Array.from(makeBlock(good).bytes);
  broken.fill(1, 54, 86);
  const all: [string, Uint8Array][] = [
    ['a wrong height', of({ height: good.height + 1n })],
    ['before its parent', of({ time: 0n })],
    ['too far ahead', of({ time: good.time + 1000n })],
    ['an unknown parent', of({ parentID: idOf(random.bytes(32)) })],
    ['no transactions', of({ txs: [] })],
    ['a transaction twice', of({ txs: [...good.txs, good.txs.find(isOnlyImport) ?? random.pick(good.txs)] })],
    ['a root', broken],
    ['a byte more', Buffer.concat([makeBlock(good).bytes, Uint8Array.of(0)])],
  ];
  return all.filter(() => chance(random, 50));
}

/** It spends nothing of this chain: only the rule on imports within a block stands against having it twice. */
const isOnlyImport = ({ unsigned }: Tx): boolean => unsigned.kind === 'ImportTx' && unsigned.inputs.length === 0;

/** What the state holds is what the model holds, as far as this block touched it; and no asset grew or shrank unaccounted. */
function checkBlock({ state, store }: LocalChain, model: Model, touched: readonly Utxo[]): void {
  expect(state.stats().unspent).toBe(model.utxos.size);
  for (const chain of [pChain, cChain]) {
    expect(sharedIds(store.db, state.id, chain)).toEqual([...model.inbound(chain).keys()].sort());
    expect(sharedIds(store.db, chain, state.id)).toEqual([...model.outbound(chain).keys()].sort());
  }
  expect(storedSums(store)).toEqual(new Map([...model.supply].filter(([, sum]) => sum > 0n).sort()));
  for (const { id } of touched) {
    const due = model.utxos.get(id);
    expect(state.utxo(id)?.bytes).toEqual(due?.bytes);
    expect(state.wasConsumed(id)).toBe(due === undefined);
  }
  const addresses = new Set(touched.flatMap(({ output }) => output.addresses));
  const concerned = [...model.utxos.values()].filter(({ output }) => output.addresses.some((address) => addresses.has(address)));
  const kept = [...addresses].flatMap((address) =>
    state.balances(address).map((b) => `${address} ${b.assetID} ${b.locktime}: ${b.own}/${b.ownCount} ${b.shared}/${b.sharedCount}`),
  );
  expect(kept.sort()).toEqual(
    balanceLines(concerned)
      .filter((line) => addresses.has(line.slice(0, 40) as Address))
      .sort(),
  );
}

/** Amounts of each asset over all unspent outputs of the store, in the order of the assets. */
function storedSums({ db }: Store): Map<Id, bigint> {
  const rows = db.prepare<{ bytes: Uint8Array }>(`SELECT bytes FROM ${utxo} WHERE seq NOT IN (SELECT utxo FROM ${spend})`).all();
  const sums = new Map<Id, bigint>();
  for (const { bytes } of rows) {
    if (!isTransfer(bytes)) continue;
    const [assetID, amount] = [toHex(bytes.subarray(38, 70)) as Id, Buffer.from(bytes.buffer, bytes.byteOffset).readBigUInt64BE(74)];
    sums.set(assetID, (sums.get(assetID) ?? 0n) + amount);
  }
  return new Map([...sums].sort());
}

/** Executes every block anew, from the genesis on, as blocks of a stranger: verified first, then accepted. */
function replayed({ local, deposits }: Run): string {
  let clock = 0n;
  const fresh = openLocalChain({ now: () => clock });
  for (const bytes of historyOf(local.store.db).blocks.slice(1)) {
    const block = fresh.chain.parse(bytes);
    clock = block.time;
    for (const { from, utxo } of deposits.filter(({ height }) => height === block.height - 1n)) fresh.deposit(from, utxo);
    fresh.chain.verify(block);
    fresh.chain.accept(block.id);
  }
  for (const { from, utxo } of deposits.filter(({ height }) => height === fresh.state.height())) fresh.deposit(from, utxo);
  expect(parseBlock(fresh.state.block(fresh.chain.lastAccepted()) as Uint8Array).id).toBe(local.chain.lastAccepted());
  const hash = stateHash(fresh.store.db);
  fresh.close();
  return hash;
}

/** The code of the fault something throws; nothing if it does not. What is no fault is a bug. */
function codeOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.fault.code;
  }
}

/** Says how to get there again before it fails. */
function orSay(where: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    console.error(`failed at ${where}; again with SERAC_SEED=${seed}`);
    throw error;
  }
}
