import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Block, makeBlock, parseBlock } from '../src/avm/tx/block.ts';
import { parseTx, type Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { type Id, idOf } from '../src/base/bytes/id.ts';
import { Fault } from '../src/base/fault.ts';
import type { Store } from '../src/ledger/store/store.ts';
import { createdBy, type LedgerModel } from './ledger-model.ts';
import { cChain, type LocalChain, localModel, openLocalChain, pChain, startManualEngine } from './local-chain.ts';
import { createRandom, isLong, type Random } from './random.ts';
import { type Case, chance, randomAmount } from './random-world.ts';
import { auditState, balanceLines, readHistory, sharedIds, stateHash, unspentOutputs } from './state-audit.ts';
import { createTxGenerator, type TxGenerator } from './tx-generator.ts';
import { createWallet, ewoq, ownedBy, transfer } from './wallet-kit.ts';

/** Number of blocks of random transactions, and the seed; set by SERAC_RANDOM_BLOCKS and SERAC_SEED. */
const blocks = Number(process.env.SERAC_RANDOM_BLOCKS ?? (isLong ? 300 : 80));
const seed = Number(process.env.SERAC_SEED ?? 3);

const folder = mkdtempSync(join(tmpdir(), 'serac-random-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const setups = [
  { name: 'in memory, --strict', strict: true, count: blocks },
  { name: 'in a file', strict: false, path: join(folder, 'chain.sqlite'), count: Math.ceil(blocks / 3) },
];

describe(`random transactions of every kind, seed ${seed}`, () => {
  for (const { name, count, ...place } of setups)
    test(`${name}: ${count} blocks`, () => {
      const run = createRun(place);
      for (let height = 1; height <= count; height++) withReproduction(`seed ${seed}, step ${height}`, run.step);
      expect(auditState(run.local.store.db)).toEqual([]);
      expect(replayedHash(run)).toBe(stateHash(run.local.store.db));
      run.local.close();
    }, 600_000);
});

type Deposit = { readonly height: bigint; readonly from: Id; readonly utxo: Utxo };
type Run = { readonly local: LocalChain; readonly deposits: readonly Deposit[]; readonly step: () => void };

function createRun(setup: { strict: boolean; path?: string }): Run {
  const random = createRandom(seed);
  let clock = 1_763_000_000n;
  const now = () => clock;
  const decided: Block[] = [];
  const local = openLocalChain({ ...setup, now, onAccepted: (block) => decided.push(block) });
  const engine = startManualEngine(local.chain, now);
  const model = localModel();
  const wallet = createWallet('random chain', { keys: [ewoq], count: 6 });
  const lockedUntil = () => clock + BigInt(1 + random.below(120));
  const generator = createTxGenerator({ random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holdsPending: true });
  const deposits: Deposit[] = [];

  const deposit = (): void => {
    const assetID = chance(random, 70) ? wallet.chainParams.feeAsset : random.pick([...model.assets.keys()]);
    const { output } = transfer(assetID, randomAmount(random, 1n << 40n), ownedBy([random.pick(wallet.keys)]));
    const utxo = makeUtxo(idOf(random.bytes(32)), random.below(3), assetID, output);
    const from = random.pick([pChain, cChain]);
    deposits.push({ height: local.state.height(), from, utxo });
    local.deposit(from, utxo);
    model.deposit(from, utxo);
  };

  /** Issues valid and invalid transactions one by one, then lets the engine decide. */
  const issueTxs = (): void => {
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

  /** Queues dependent transactions: the wallet queue issues them one after another, in a block each. */
  const queueWalletTxs = (): void => {
    const chained = dependentTxs(generator, model.apply, 2 + random.below(3));
    for (const tx of chained) local.chain.queueWalletTx(tx);
    engine.decide();
    expect(decided.flatMap(({ txs }) => txs.map(({ id }) => id))).toEqual(chained.map(({ id }) => id));
  };

  /** Verifies and accepts a block that was built elsewhere, with dependent transactions, after some invalid blocks. */
  const acceptForeignBlock = (): void => {
    const hashes = chance(random, 10) ? [stateHash(local.store.db)] : [];
    const txs = dependentTxs(generator, model.apply, 1 + random.below(6));
    const { id: parentID, height } = local.state.lastAccepted();
    const good = { parentID, height: height + 1n, time: clock, txs };
    for (const [what, bytes] of invalidBlocks(random, good)) {
      expect([what, codeOf(() => local.chain.verify(local.chain.parse(bytes)))]).toEqual([what, expect.stringMatching(/^(BLOCK|CODEC)_/)]);
      expect(local.chain.processing()).toBe(0);
    }
    for (const before of hashes) expect(stateHash(local.store.db)).toBe(before);
    const block = local.chain.parse(makeBlock(good).bytes);
    const sibling = local.chain.parse(makeBlock({ ...good, time: clock + 1n }).bytes);
    for (const one of [sibling, block]) local.chain.verify(one);
    local.chain.setPreference(block.id);
    local.chain.accept([block.id]);
    expect(local.chain.lastAccepted()).toBe(block.id);
    rejectSibling(local, sibling.id);
  };

  const step = (): void => {
    clock += BigInt(random.below(5));
    decided.length = 0;
    const spentBefore = model.spent.length;
    const acceptedBefore = model.accepted.length;
    if (chance(random, 40)) deposit();
    generator.reset();
    random.pick([issueTxs, issueTxs, issueTxs, issueTxs, queueWalletTxs, acceptForeignBlock])();
    engine.decide();
    const touched = [...model.spent.slice(spentBefore), ...model.accepted.slice(acceptedBefore).flatMap(createdBy)];
    checkBlock(local, model, touched);
    if (chance(random, 4)) expect(auditState(local.store.db)).toEqual([]);
  };
  return { local, deposits, step };
}

/** Issues a transaction as a caller would. Returns its ID if it is pending now. */
function issue({ chain }: LocalChain, { name, bytes, expected }: Case): Id | undefined {
  let id: Id | undefined;
  const code = codeOf(() => {
    const tx = parseTx(bytes);
    chain.issue(tx);
    id = tx.id;
  });
  if (expected === 'either') return id;
  const expectedCode = expected === 'accepted' ? undefined : (expected.rejectedWith ?? expect.any(String));
  expect({ name, code, bytes: Buffer.from(bytes).toString('hex') }).toEqual({ name, code: expectedCode, bytes: expect.any(String) });
  return id;
}

/** Creates valid transactions, each on the state that its predecessors leave. */
function dependentTxs(generator: TxGenerator, apply: (tx: Tx) => void, count: number): Tx[] {
  return Array.from({ length: count }, () => {
    const tx = generator.nextValid();
    if (tx === undefined) return [];
    apply(tx);
    generator.reset();
    return [tx];
  }).flat();
}

/** Rejects a sibling block. Its transactions are accepted already, so none goes back to the mempool. */
function rejectSibling({ chain }: LocalChain, id: Id): void {
  chain.reject(id);
  expect(chain.processing()).toBe(0);
  expect(chain.mempool.size().txs).toBe(0);
}

function invalidBlocks(random: Random, good: Parameters<typeof makeBlock>[0]): [string, Uint8Array][] {
  const of = (change: Partial<typeof good>): Uint8Array => makeBlock({ ...good, ...change }).bytes;
  const broken = Uint8Array.from(makeBlock(good).bytes);
  broken.fill(1, 54, 86);
  const all: [string, Uint8Array][] = [
    ['a wrong height', of({ height: good.height + 1n })],
    ['a time before its parent', of({ time: 0n })],
    ['a time too far in the future', of({ time: good.time + 1000n })],
    ['an unknown parent', of({ parentID: idOf(random.bytes(32)) })],
    ['no transactions', of({ txs: [] })],
    ['a transaction twice', of({ txs: [...good.txs, good.txs.find(isOnlyImport) ?? random.pick(good.txs)] })],
    ['a Merkle root', broken],
    ['an extra byte', Buffer.concat([makeBlock(good).bytes, Uint8Array.of(0)])],
  ];
  return all.filter(() => chance(random, 50));
}

/** Whether a transaction only imports. Such a transaction twice in a block violates only the rule on imports. */
const isOnlyImport = ({ unsigned }: Tx): boolean => unsigned.kind === 'ImportTx' && unsigned.inputs.length === 0;

/** Compares the state with the model for the outputs of this block, and the total amount of every asset. */
function checkBlock({ state, store }: LocalChain, model: LedgerModel, touched: readonly Utxo[]): void {
  expect(state.stats().unspent).toBe(model.utxos.size);
  for (const chain of [pChain, cChain]) {
    expect(sharedIds(store.db, state.id, chain)).toEqual([...model.inbound(chain).keys()].sort());
    expect(sharedIds(store.db, chain, state.id)).toEqual([...model.outbound(chain).keys()].sort());
  }
  expect(storedSums(store)).toEqual(new Map([...model.supply].filter(([, sum]) => sum > 0n).sort()));
  for (const output of touched) {
    const expected = model.utxos.get(output.id);
    expect(state.utxo(output)?.bytes).toEqual(expected?.bytes);
    expect(state.wasConsumed(output)).toBe(expected === undefined);
  }
  const addresses = new Set(touched.flatMap(({ output }) => output.addresses));
  const ownedUtxos = [...model.utxos.values()].filter(({ output }) => output.addresses.some((address) => addresses.has(address)));
  const stored = [...addresses].flatMap((address) =>
    state
      .balances(address, 0n)
      .map(({ assetID, part, amount, count, nfts }) => `${address} ${assetID} ${part}: ${amount}/${count}/${nfts}`),
  );
  expect(stored.sort()).toEqual(
    balanceLines(ownedUtxos)
      .filter((line) => addresses.has(line.slice(0, 40) as Address))
      .sort(),
  );
}

/** Total unspent amount of each asset in the store, sorted by asset. */
function storedSums({ db }: Store): Map<Id, bigint> {
  const sums = new Map<Id, bigint>();
  for (const { assetID, output } of unspentOutputs(db))
    if (output.kind === 'secp256k1fx.TransferOutput') sums.set(assetID, (sums.get(assetID) ?? 0n) + output.amount);
  return new Map([...sums].sort());
}

/** Verifies and accepts every block again, from genesis on, in a new chain. Returns the hash of its state. */
function replayedHash({ local, deposits }: Run): string {
  let clock = 0n;
  const fresh = openLocalChain({ now: () => clock });
  for (const bytes of readHistory(local.store.db).blocks.slice(1)) {
    const block = fresh.chain.parse(bytes);
    clock = block.time;
    for (const { from, utxo } of deposits.filter(({ height }) => height === block.height - 1n)) fresh.deposit(from, utxo);
    fresh.chain.verify(block);
    fresh.chain.accept([block.id]);
  }
  for (const { from, utxo } of deposits.filter(({ height }) => height === fresh.state.height())) fresh.deposit(from, utxo);
  expect(parseBlock(fresh.state.block(fresh.chain.lastAccepted()) as Uint8Array).id).toBe(local.chain.lastAccepted());
  const hash = stateHash(fresh.store.db);
  fresh.close();
  return hash;
}

/** Returns the code of the Fault that `run` throws, or undefined if it does not throw. Other errors are passed on. */
function codeOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.fault.code;
  }
}

/** Prints how to reproduce a failure. */
function withReproduction(where: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    console.error(`failed at ${where}; reproduce with SERAC_SEED=${seed}`);
    throw error;
  }
}
