import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom, someOf } from '../../../test/random.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import { openSnapshots } from '../../ledger/snapshot/snapshots.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { openState } from '../../ledger/state/chain-state.ts';
import { chainID, genesisID } from '../../ledger/state/random-chain.fixture.ts';
import { openSharedMemory } from '../../ledger/state/shared-memory.ts';
import { openStore } from '../../ledger/store/store.ts';
import type { LogEntry } from './event-log.ts';
import { openSqliteEventLog, type SqliteEventLog } from './sqlite-event-log.ts';

const secondChainID = sha256Hex(Buffer.from('second chain')) as Id;
const genesisBlock = makeBlock({ parentID: genesisID, height: 0n, time: 1607144400n, txs: [] });

type Limits = { readonly maxEntries?: number; readonly maxRevertedBytes?: number };

/** A database with two chains and their event log, as the writer or a reader process opens it. */
function openLog(path: string, limits: Limits, readonly = false) {
  const store = openStore(openDatabase, { path, networkID: 12345, genesis: genesisID, durability: 'checkpoint', readonly });
  const sharedMemory = openSharedMemory(store);
  const log = openSqliteEventLog(store, { random: (length) => crypto.getRandomValues(new Uint8Array(length)), ...limits });
  const chains = [chainID, secondChainID].map((id) => {
    const state = openState(store, sharedMemory, { id, genesis: genesisID });
    if (!state.isInitialized()) state.init([], genesisBlock);
    const number = getChainNumber(store, id);
    log.addChain({ number, state });
    return { number, state };
  });
  return { store, log, chains };
}

type Opened = ReturnType<typeof openLog>;
type Chain = Opened['chains'][number];

let made = 0;

/** Blocks after the last one of a chain, each unlike all others, some of them without transactions. */
function makeBlocks({ state }: Chain, txCounts: readonly number[]) {
  let parent: Pick<typeof genesisBlock, 'id' | 'height' | 'time'> = state.lastAccepted();
  return txCounts.map((count) => {
    const memo = (): Uint8Array => Buffer.from(`transaction ${++made}`);
    const base = { kind: 'BaseTx' as const, networkID: 12345, blockchainID: state.id, outputs: [], inputs: [] };
    const txs = Array.from({ length: count }, () => makeTx({ ...base, memo: memo() }, []));
    const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time: parent.time + BigInt(++made), txs });
    parent = block;
    return { block, diff: { applied: txs.map((tx) => ({ tx, effects: effectsOf(tx) })), consumed: new Map() } };
  });
}

const anOutput = (): ReturnType<typeof makeUtxo> =>
  makeUtxo(sha256Hex(Buffer.from(`output ${++made}`)) as Id, 0, genesisID, {
    ...{ kind: 'secp256k1fx.TransferOutput', amount: 1n, locktime: 0n, threshold: 1 },
    addresses: ['01'.repeat(20) as Address],
  });

const showBlock = (chain: Id, blockID: Id): string => `${idText(chain)} block ${idText(blockID)}`;
const showEntry = (entry: LogEntry): string =>
  entry.kind === 'block'
    ? showBlock(entry.chainID, entry.block.id)
    : `${idText(entry.chainID)} ${entry.snapshot} ${entry.height} ${entry.time} ${idText(entry.blockID)}`;

/** Reads to the end of the log. `isLost`: an entry was no longer stored. */
async function readAfter(log: SqliteEventLog, from: number): Promise<{ readonly shown: string[]; readonly isLost: boolean }> {
  const shown: string[] = [];
  for (;;) {
    const entries = await log.read(from + shown.length);
    if (entries === undefined || entries.length === 0) return { shown, isLost: entries === undefined };
    expect(entries.map(({ number }) => number)).toEqual(entries.map((_, i) => from + shown.length + 1 + i));
    shown.push(...entries.map(showEntry));
  }
}

/** Changes a log by random actions and keeps a list of what must be in it. */
function createWalk(path: string, seed: number, limits: Limits) {
  const random = createRandom(seed);
  const expected: string[] = [];
  /** The number of the last revert that changed a chain. */
  let lastChange = 0;
  const open = () => {
    const opened = openLog(path, limits);
    return { ...opened, snapshots: openSnapshots({ store: opened.store, parts: [], tip: () => ({ height: 0, time: 0 }) }) };
  };
  let node = open();
  const pickChain = (): Chain => node.chains[random.below(4) === 0 ? 1 : 0] as Chain;
  const nextBlocks = (chain: Chain) =>
    makeBlocks(
      chain,
      Array.from({ length: 1 + random.below(3) }, () => random.below(3)),
    );

  const expectRevert = (name: string, revert: () => void): void => {
    const tips = () => node.chains.map(({ state }) => state.lastAccepted());
    const before = tips();
    revert();
    const reverts = tips().map(({ id, height, time }, i) => ({
      isChanged: id !== before[i]?.id,
      shown: `${idText(node.chains[i]?.state.id as Id)} ${name} ${height} ${time} ${idText(id)}`,
    }));
    const changed = reverts.filter(({ isChanged }) => isChanged);
    if (changed.length > 0) lastChange = expected.length + 1;
    expected.push(...(changed.length > 0 ? changed : reverts.slice(0, 1)).map(({ shown }) => shown));
  };

  const actions: readonly { readonly weight: number; readonly run: () => void }[] = [
    {
      weight: 12,
      run: () => {
        const chain = pickChain();
        const blocks = nextBlocks(chain);
        chain.state.commitAll(blocks, (stored) => node.log.append(chain.number, stored));
        expected.push(...blocks.map(({ block }) => showBlock(chain.state.id, block.id)));
      },
    },
    {
      // A commit that fails after the log was written.
      weight: 1,
      run: () => {
        const chain = pickChain();
        const append = (stored: Parameters<SqliteEventLog['append']>[1]) => {
          node.log.append(chain.number, stored);
          throw new Error('disk failed');
        };
        expect(() => chain.state.commitAll(nextBlocks(chain), append)).toThrow('disk failed');
      },
    },
    { weight: 4, run: () => void node.snapshots.save(`s${random.below(4)}`) },
    {
      weight: 4,
      run: () => {
        const names = node.snapshots.list().map(({ name }) => name);
        if (names.length === 0) return;
        const name = random.pick(names);
        expectRevert(name, () => void node.snapshots.revert(name));
      },
    },
    {
      // A revert that fails when the blocks are deleted.
      weight: 1,
      run: () => {
        const revert = () => {
          node.store.db.exec('DELETE FROM c1_block WHERE height > 0');
          throw new Error('disk failed');
        };
        expect(() => node.store.revert(revert)).toThrow('disk failed');
      },
    },
    {
      // This changes the row of the last block, so that a revert writes it again without its transactions.
      weight: 2,
      run: () => pickChain().state.addPreLinearizationUtxos([anOutput()]),
    },
    {
      weight: 1,
      run: () =>
        expectRevert('fresh', () =>
          node.store.revert((reload) => {
            node.snapshots.undoLog.clearTables();
            reload();
            for (const { state } of node.chains) state.init([], genesisBlock);
          }, 'fresh'),
        ),
    },
    {
      weight: 1,
      run: () => {
        node.store.close();
        node = open();
      },
    },
  ];
  const weighted = actions.flatMap(({ weight, run }) => Array.from({ length: weight }, () => run));
  return {
    random,
    expected,
    step: () => random.pick(weighted)(),
    log: () => node.log,
    rows: () => node.store.db.prepare<{ n: number }>('SELECT count(*) AS n FROM event_log').get()?.n,
    lastChange: () => lastChange,
    /** Restarts the node after its database was changed. */
    reopen: async (change: (opened: Opened) => Promise<void>): Promise<void> => {
      await change(node);
      node.store.close();
      node = open();
    },
    close: () => node.store.close(),
  };
}

async function withScratchPath(work: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'serac-'));
  try {
    await work(join(folder, 'serac.sqlite'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Walks and calls `check` after every step. */
async function walk(limits: Limits, check: (walk: ReturnType<typeof createWalk>, path: string) => Promise<void>): Promise<void> {
  for (const seed of someOf([1, 2, 3, 4, 5, 6, 7, 8]))
    await withScratchPath(async (path) => {
      const walked = createWalk(path, seed, limits);
      try {
        for (let i = 0; i < 250; i++) {
          walked.step();
          expect(await walked.log().last()).toBe(walked.expected.length);
          await check(walked, path);
        }
      } catch (cause) {
        throw new Error(`seed ${seed}`, { cause });
      } finally {
        walked.close();
      }
    });
}

describe('random blocks of two chains, snapshots, reverts, failures and restarts: compared with a list of all entries', () => {
  test('every entry is read from any position, also by a reader process', async () => {
    await walk({}, async ({ random, log, expected }, path) => {
      const from = random.below(expected.length + 1);
      expect(await readAfter(log(), from)).toEqual({ shown: expected.slice(from), isLost: false });
      if (random.below(20) > 0) return;
      const reader = openLog(path, {}, true);
      expect(await reader.log.last()).toBe(expected.length);
      expect(await readAfter(reader.log, 0)).toEqual({ shown: expected, isLost: false });
      reader.store.close();
    });
  });

  test('with a limit of entries, exactly the last ones can be read', async () => {
    const maxEntries = 25;
    await walk({ maxEntries }, async ({ log, expected, rows }) => {
      for (const from of [0, expected.length - maxEntries - 1, expected.length - maxEntries, expected.length]) {
        if (from < 0) continue;
        const isLost = from < expected.length - maxEntries;
        expect(await readAfter(log(), from)).toEqual({ shown: isLost ? [] : expected.slice(from), isLost });
      }
      expect(rows()).toBeLessThanOrEqual(maxEntries + 1);
    });
  });

  test('with a limit of reverted bytes, no other block is read in the place of a deleted copy', async () => {
    let resumed = 0;
    await walk({ maxRevertedBytes: 2000 }, async ({ random, log, expected, lastChange }) => {
      const from = random.below(expected.length + 1);
      const { shown, isLost } = await readAfter(log(), from);
      expect(shown).toEqual(expected.slice(from, from + shown.length));
      if (isLost) expect(from).toBeLessThan(lastChange() - 1);
      else if (from < lastChange() - 1) resumed++;
    });
    expect(resumed).toBeGreaterThan(0);
  });
});

/** The tables and triggers as they were before runs: a row per entry, and no stored version. */
const version1 = (chains: readonly Chain[]): string => `
  CREATE TABLE event_log(
    seq INTEGER PRIMARY KEY, chain INTEGER NOT NULL, reverted INTEGER NOT NULL, height INTEGER NOT NULL, block BLOB NOT NULL,
    time INTEGER NOT NULL, snapshot TEXT) STRICT;
  CREATE TABLE event_log_meta(id TEXT NOT NULL, reverts INTEGER NOT NULL) STRICT;
  CREATE TABLE event_log_reverted_block(
    id BLOB NOT NULL, revert INTEGER NOT NULL, chain INTEGER NOT NULL, header BLOB NOT NULL, first_tx INTEGER NOT NULL,
    tx_count INTEGER NOT NULL, PRIMARY KEY (id, revert)) WITHOUT ROWID, STRICT;
  CREATE TABLE event_log_reverted_tx(
    revert INTEGER NOT NULL, chain INTEGER NOT NULL, seq INTEGER NOT NULL, id BLOB NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (revert, chain, seq)) WITHOUT ROWID, STRICT;
  CREATE INDEX event_log_reverted_tx_id ON event_log_reverted_tx(id);
  ${chains
    .map(
      ({ number }) => `
  CREATE TRIGGER c${number}_block_reverted BEFORE DELETE ON c${number}_block BEGIN
    INSERT OR IGNORE INTO event_log_reverted_block
      SELECT OLD.id, reverts, ${number}, OLD.header, OLD.first_tx, OLD.tx_count FROM event_log_meta;
  END;
  CREATE TRIGGER c${number}_tx_reverted BEFORE DELETE ON c${number}_tx BEGIN
    INSERT OR IGNORE INTO event_log_reverted_tx SELECT reverts, ${number}, OLD.seq, OLD.id, OLD.bytes FROM event_log_meta;
  END;`,
    )
    .join('')}`;

/** Gives a log the tables of version 1, with the same entries. Returns the number of its last revert; 1 if there is none. */
async function makeVersion1({ store: { db }, log, chains }: Opened): Promise<number> {
  const id = await log.id();
  const entries: LogEntry[] = [];
  for (;;) {
    const next = await log.read(entries.length);
    if (next === undefined || next.length === 0) break;
    entries.push(...next);
  }
  for (const { number } of chains) db.exec(`DROP TRIGGER c${number}_block_reverted; DROP TRIGGER c${number}_tx_reverted`);
  for (const table of ['', '_meta', '_reverted_block', '_reverted_tx']) db.exec(`DROP TABLE event_log${table}`);
  db.exec(`DELETE FROM meta WHERE name = 'event log'`);
  db.exec(version1(chains));
  db.prepare('INSERT INTO event_log_meta VALUES (?, 7)').run(id);
  const insert = db.prepare('INSERT INTO event_log(chain, reverted, height, block, time, snapshot) VALUES (?, ?, ?, ?, ?, ?)');
  for (const entry of entries) {
    const chain = chains.find(({ state }) => state.id === entry.chainID)?.number as number;
    if (entry.kind === 'reverted') insert.run(chain, 1, entry.height, idToBytes(entry.blockID), entry.time, entry.snapshot ?? null);
    else insert.run(chain, 0, Number(entry.block.height), idToBytes(entry.block.id), Number(entry.block.time), null);
  }
  return Math.max(1, ...entries.filter(({ kind }) => kind === 'reverted').map(({ number }) => number));
}

describe('a log with a row per entry, of an earlier build', () => {
  test('keeps its ID and the numbers of entries from the last revert on; before that a client gets a reset', async () => {
    for (const seed of someOf([1, 2, 3, 4, 5, 6]))
      await withScratchPath(async (path) => {
        const walked = createWalk(path, seed, {});
        for (let i = 0; i < 60; i++) walked.step();
        const id = await walked.log().id();
        let first = 0;
        await walked.reopen(async (opened) => {
          first = await makeVersion1(opened);
        });
        expect(await walked.log().id()).toBe(id);
        for (let i = 0; i < 40; i++) {
          const { expected } = walked;
          expect(await walked.log().last()).toBe(expected.length);
          for (const from of [first - 1, first, expected.length - 1, walked.random.below(expected.length)])
            expect(await readAfter(walked.log(), from)).toEqual(
              from < first - 1 ? { shown: [], isLost: true } : { shown: expected.slice(from), isLost: false },
            );
          walked.step();
        }
        walked.close();
      });
  });

  test('begins anew if it does not end with the last block: --strict did not write it', async () => {
    await withScratchPath(async (path) => {
      const opened = openLog(path, {});
      const [chain] = opened.chains as [Chain, Chain];
      const add = ({ log }: Opened) => chain.state.commitAll(makeBlocks(chain, [1, 1]), (stored) => log.append(chain.number, stored));
      add(opened);
      const id = await opened.log.id();
      await makeVersion1(opened);
      opened.store.db.exec('DELETE FROM event_log WHERE seq = 2');
      opened.store.close();
      const again = openLog(path, {});
      expect([await again.log.last(), (await again.log.id()) === id]).toEqual([0, false]);
      again.store.close();
    });
  });

  test('is not used by a program that is older than the log', () => {
    const { store } = openLog(':memory:', {});
    store.db.exec(`UPDATE meta SET value = 9 WHERE name = 'event log'`);
    expect(() => openSqliteEventLog(store, { random: () => new Uint8Array(6) })).toThrow(
      /version 9 of the event log, this program supports version 2 .* use the version of serac that wrote it/,
    );
    store.close();
  });
});

test('a position after the end of the log is not one of it', async () => {
  const { log, store } = openLog(':memory:', {});
  expect([await log.last(), await log.read(0), await log.read(1)]).toEqual([0, [], undefined]);
  store.close();
});
