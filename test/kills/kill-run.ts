import { expect } from 'bun:test';
import { parseTx } from '../../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../../src/avm/tx/utxo.ts';
import { formatHex } from '../../src/base/bytes/hex.ts';
import { type Id, idOf, idText } from '../../src/base/bytes/id.ts';
import { type EventFollower, followEvents } from '../event-follower.ts';
import { type Client, createClient } from '../http.ts';
import { cChain, localModel, pChain } from '../local-chain.ts';
import { eventually } from '../processes.ts';
import type { Random } from '../random.ts';
import { type Case, chance } from '../random-world.ts';
import { createTxGenerator } from '../tx-generator.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from '../wallet-kit.ts';
import { expectRunning, isDisconnect, StoppingNode } from './disconnect.ts';
import { compareWithOracle, readUntil } from './kill-reads.ts';
import type { KillSetup, Serving } from './kill-setup.ts';

const connections = 8;
const batchSize = 48;
const coin = 1_000_000_000_000n;
/** A run with more kills than this shows its progress. */
const progressFrom = 10;
/** Milliseconds for what must come in the end, on a slow machine. */
const patience = 120_000;
/** Milliseconds of load before a kill, if the answers do not come. */
const maxLoad = 60_000;

type KillReport = {
  readonly kills: number;
  readonly accepted: number;
  readonly reads: number;
  readonly txEvents: number;
  readonly connections: number;
  /** Milliseconds from the start of a killed process to its first answer, ascending. */
  readonly restarts: readonly number[];
};

/** Kills a process again and again under load; checks that nothing accepted is lost, and that events have no gap and no repetition. */
export async function runKills(setup: KillSetup, random: Random, kills: number): Promise<KillReport> {
  const ledger = createLedger(random, setup.invalidPercent);
  const { seen } = ledger;
  const restarts: number[] = [];
  const streams: EventFollower[] = [];
  let undecided: readonly Case[] = [];
  let reads = 0;
  const start = async (isFirst: boolean): Promise<Serving> => {
    const since = performance.now();
    const serving = await setup.start();
    if (!isFirst) restarts.push(performance.now() - since);
    return serving;
  };
  try {
    for (let round = 0; round < kills; round++) {
      if (chance(random, 15)) await setup.killWhileStarting(random.below(220));
      const serving = await start(round === 0);
      if (round === 0) streams.push(...(await openStreams(setup)));
      const issuer = createIssuing(serving, ledger);
      await issuer.settle(undecided, setup.canLosePending);
      if (round === 0) await issuer.issueAll(0, [ledger.fund()]);
      if (chance(random, 20)) await ledger.deposit(serving.dev);
      // What is random is chosen before the processes, whose speed is not, have a say.
      const answers = random.below(setup.maxAnswers);
      const after = chance(random, 20) ? random.below(40) : undefined;
      const reading = readUntil(serving.port, random.next());
      const loading = issuer.loadUntilKilled();
      await issuer.untilAnswers(answers);
      await serving.kill(after);
      issuer.end();
      reads += await reading.stop();
      undecided = await loading;
      issuer.close();
      expect(streams.flatMap(({ problems }) => problems)).toEqual([]);
      if (kills > progressFrom && round % 5 === 0)
        console.error(`  ${round} kills, ${seen.accepted.size} transactions, ${Math.round(performance.now() / 1000)} s`);
      if (round % 10 === 0) expect(await setup.findProblems(seen, round % 40 === 0)).toEqual([]);
    }
    const serving = await start(kills === 0);
    const issuer = createIssuing(serving, ledger);
    await issuer.settle(undecided, setup.canLosePending);
    issuer.close();
    const { height, txs } = await compareWithOracle(serving, seen, random, ledger.wallet);
    for (const stream of streams) {
      await eventually(stream.height, (reached) => reached === height, patience);
      expect([stream.problems, stream.counts().txs]).toEqual([[], txs]);
    }
    await Promise.all(streams.map(({ stop }) => stop()));
    await setup.finish(seen);
  } finally {
    await Promise.all(streams.map(({ stop }) => stop()));
  }
  return {
    kills,
    accepted: seen.accepted.size,
    reads,
    txEvents: streams.reduce((sum, stream) => sum + stream.counts().txs, 0),
    connections: streams.reduce((sum, stream) => sum + stream.counts().connections, 0),
    restarts: restarts.sort((a, b) => a - b),
  };
}

/** Follows the event streams from before the first block. */
async function openStreams({ streams }: KillSetup): Promise<EventFollower[]> {
  const followers = streams.map((port) => followEvents({ port }));
  await Promise.all(followers.map((one) => eventually(one.isConnected, Boolean, patience)));
  return followers;
}

/** What was issued and accepted, and what can be issued next. */
function createLedger(random: Random, invalidPercent: number) {
  const wallet = createWallet('crash', { keys: [ewoq], count: 6 });
  const model = localModel();
  const now = () => BigInt(Math.floor(Date.now() / 1000));
  const lockedUntil = () => now() + 1_000_000n;
  const generator = createTxGenerator(
    { random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holdsPending: false },
    invalidPercent,
  );
  const accepted = new Set<string>();
  const deposits: Utxo[] = [];
  return {
    seen: { accepted, deposits, unspent: () => [...model.utxos.keys()].sort() },
    wallet,
    recordAccepted: ({ bytes }: Case): void => {
      const tx = parseTx(bytes);
      if (accepted.has(tx.id)) return;
      accepted.add(tx.id);
      model.apply(tx);
    },
    nextBatch: (): Case[] => {
      generator.reset();
      return Array.from({ length: batchSize }, generator.next).filter((one) => one !== undefined);
    },
    /** Splits the funds into many outputs, so that a whole batch can be issued at once. */
    fund: (): Case => {
      const pieces = Array.from({ length: 150 }, (_, i) => transfer(localChainParams.feeAsset, coin, ownedBy([wallet.keys[i % 7] as Key])));
      const tx = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, pieces));
      return { name: 'split funds', bytes: tx.bytes, expected: 'accepted' };
    },
    /** Adds an output to import. Once the call succeeds, it must survive a kill too. */
    deposit: async (client: Client | undefined): Promise<void> => {
      const output = transfer(localChainParams.feeAsset, BigInt(1 + random.below(1e9)), ownedBy([random.pick(wallet.keys)])).output;
      const utxo = makeUtxo(idOf(random.bytes(32)), 0, localChainParams.feeAsset, output);
      if (client === undefined) return;
      const { error } = await client.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: 'C', utxo: formatHex('hex', utxo.bytes) });
      expect(error).toBeUndefined();
      deposits.push(utxo);
      model.deposit(cChain, utxo);
    },
  };
}

/** Issues transactions over several connections. */
function createIssuing({ port, issuePorts, isAccepted }: Serving, ledger: ReturnType<typeof createLedger>) {
  const lanes = Array.from({ length: connections }, (_, i) => ({
    issue: createClient(issuePorts[i % issuePorts.length] as number),
    ask: createClient(port),
  }));
  let answers = 0;
  let hasFailed = false;
  /** How many answers `untilAnswers` waits for, and what ends its wait. */
  let expectedAnswers = Number.POSITIVE_INFINITY;
  const enough = Promise.withResolvers<void>();
  const countAnswer = (): void => {
    if (++answers >= expectedAnswers) enough.resolve();
  };
  const fail = (): void => {
    hasFailed = true;
    enough.resolve();
  };

  const issueOne = async (lane: number, one: Case): Promise<void> => {
    const { issue, ask } = lanes[lane] as (typeof lanes)[number];
    const { error } = await issue.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', one.bytes), encoding: 'hex' });
    countAnswer();
    expectRunning(error);
    if (one.expected !== 'either' && (error === undefined) !== (one.expected === 'accepted'))
      throw new Error(`${one.name}: expected ${one.expected}, got ${JSON.stringify(error ?? 'a txID')}`);
    if (error !== undefined) return;
    const txID = idText(idOf(one.bytes));
    const askAgain = async (): Promise<boolean> => {
      if (await isAccepted(ask, txID)) return true;
      if (hasFailed) throw new StoppingNode();
      return false;
    };
    await eventually(askAgain, Boolean, patience);
    ledger.recordAccepted(one);
  };
  /** Issues transactions one by one, each until it is accepted; returns the rest if the process is killed. */
  const issueAll = async (lane: number, cases: readonly Case[]): Promise<readonly Case[]> => {
    for (const [i, one] of cases.entries()) {
      if (hasFailed) return cases.slice(i);
      try {
        await issueOne(lane, one);
      } catch (error) {
        if (!isDisconnect(error) && !(error instanceof StoppingNode)) throw error;
        fail();
        return cases.slice(i);
      }
    }
    return [];
  };
  const settleOne = async (lane: number, one: Case, canLose: boolean): Promise<void> => {
    const { issue, ask } = lanes[lane] as (typeof lanes)[number];
    const txID: string = idText(idOf(one.bytes) as Id);
    if (ledger.seen.accepted.has(idOf(one.bytes))) return;
    let isTaken = canLose;
    const askAgain = async (): Promise<boolean> => {
      if (await isAccepted(ask, txID)) return true;
      if (isTaken) return false;
      const { error } = await issue.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', one.bytes), encoding: 'hex' });
      isTaken = error === undefined;
      return false;
    };
    const reached = canLose ? await askAgain() : await eventually(askAgain, Boolean, patience);
    if (!reached) return;
    expect([one.name, one.expected]).toEqual([one.name, expect.stringMatching(/accepted|either/)]);
    ledger.recordAccepted(one);
  };
  return {
    issueAll,
    /** After a restart: checks that the transactions that were seen are there, and finds out which of the undecided ones were accepted. */
    settle: async (undecided: readonly Case[], canLose: boolean): Promise<void> => {
      const [{ ask }] = lanes as [(typeof lanes)[number]];
      for (const id of [...ledger.seen.accepted].slice(-20)) expect([id, await isAccepted(ask, idText(id as Id))]).toEqual([id, true]);
      // All at once: they are of one batch, none spends another's output, and one block can take them all.
      await Promise.all(undecided.map((one, at) => settleOne(at % connections, one, canLose)));
    },
    /** Issues batches until a connection breaks; returns the transactions whose outcome is unknown. */
    loadUntilKilled: async (): Promise<readonly Case[]> => {
      for (;;) {
        const batch = ledger.nextBatch();
        if (batch.length === 0) await Bun.sleep(5);
        const undecided = await Promise.all(
          lanes.map((_, lane) =>
            issueAll(
              lane,
              batch.filter((_, at) => at % connections === lane),
            ),
          ),
        );
        if (hasFailed) return undecided.flat();
      }
    },
    /** Waits for a number of answers, so that a slow machine gets as far as a fast one. */
    untilAnswers: async (count: number): Promise<void> => {
      expectedAnswers = count;
      if (answers >= count || hasFailed) return;
      const timeout = setTimeout(enough.resolve, maxLoad);
      await enough.promise;
      clearTimeout(timeout);
    },
    /** Ends the load: no connection may have broken. */
    end: fail,
    close: () => {
      for (const { issue, ask } of lanes) {
        issue.close();
        ask.close();
      }
    },
  };
}
