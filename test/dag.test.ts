import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { spentRefs } from '../src/avm/tx/effects.ts';
import { parseTx } from '../src/avm/tx/tx.ts';
import { packVertex, parseVertex, type Vertex } from '../src/avm/tx/vertex.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { bech32Decode } from '../src/base/bytes/bech32.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { type Id, idText, zeroId } from '../src/base/bytes/id.ts';
import type { NodeId } from '../src/base/bytes/node-id.ts';
import { openReindex } from '../src/ledger/index-sqlite/reindex.ts';
import { checkChain } from '../src/ledger/state/check.ts';
import { decodeStoredUtxo } from '../src/ledger/state/stored-utxo.ts';
import { createProgressMeter } from '../src/network/bootstrap/progress.ts';
import { createTestVm, makeBlock, nodeId } from '../src/network/consensus/engine.fixture.ts';
import { createGetter } from '../src/network/consensus/getter.ts';
import { startDagBootstrapper } from '../src/network/dag/dag-bootstrapper.ts';
import type { ChainMessage } from '../src/network/protocol/transport.ts';
import {
  type DagChain,
  dagBlock0,
  dagChain,
  dagVectors,
  dagVertices,
  openDagChain,
  shownVertices,
  stopVertexID,
  writeDag,
} from './dag-chain.ts';
import { eventually } from './processes.ts';
import { startProgramAsUsers } from './program.ts';
import { createRandom } from './random.ts';
import { createEventLoop } from './simulation/event-loop.ts';
import { createNetwork } from './simulation/network.ts';

/*
 * The chain from before linearization, with vertices of AvalancheGo 1.9.16, and outputs and balances of AvalancheGo 1.14.2 after them.
 * Real nodes: join-dag-avalanchego.test.ts.
 */

const chainId = dagChain.blockchainID;
const self = nodeId(100);

type ListedTxs = {
  readonly transactions?: readonly { readonly txHash: string; readonly blockHeight: number; readonly timestamp: number }[];
  readonly nextPageToken?: string;
};

const addressesOf = (): Address[] => Object.keys(dagVectors.balances).map((text) => toHex(bech32Decode(text.slice(2)).bytes) as Address);

/** All unspent outputs of the addresses that AvalancheGo was asked about. */
function utxosOf({ state }: DagChain): string[] {
  const found = new Set<string>();
  for (const address of addressesOf())
    for (const utxo of state.utxos(chainId, { addresses: [address], start: { address, utxoID: zeroId }, limit: 1024 }, false).utxos)
      found.add(toHex(decodeStoredUtxo(utxo).bytes));
  return [...found].sort();
}

function executeAll({ createExecutor }: DagChain): void {
  const executor = createExecutor();
  while (executor.step() !== undefined);
}

/** Peers that serve the vertices, and a node that fetches and executes them, on a virtual clock. */
function openDagNetwork(chain: DagChain, peers: readonly ('honest' | 'silent' | 'wrong')[], maxReceived?: number) {
  const loop = createEventLoop();
  const network = createNetwork(loop, createRandom(3));
  const source = openDagChain();
  source.vertices.add(dagVertices);
  executeAll(source);
  const timers = {
    now: loop.timers.now,
    after: (milliseconds: number, run: () => void) =>
      loop.timers.after(milliseconds, () => {
        loop.markAsync();
        run();
      }),
  };
  const answers = { honest: 0, wrong: 0 };
  for (const [i, kind] of peers.entries()) {
    const id = nodeId(i + 1);
    const transport = network.transportOf(id);
    const getter = createGetter({ chainId, transport, timers }, createTestVm([makeBlock(undefined, 'g')]), { vertices: source.vertices });
    const receive = (from: NodeId, message: ChainMessage): void => {
      if (message.kind !== 'getAncestors' || kind === 'silent') return;
      answers[kind]++;
      if (kind === 'honest') getter.receive(from, message);
      // Another vertex of the chain, then the asked one: neither is used.
      else
        transport.send(
          {
            kind: 'ancestors',
            chainId,
            requestId: message.requestId,
            containers: [dagVertices[0]!.bytes, source.vertices.bytes(message.containerId)!],
          },
          [from],
        );
    };
    network.start(id, { receive, failed: () => {}, connected: () => {}, disconnected: () => {} });
  }
  const outcome: { finished: boolean; fatal: unknown } = { finished: false, fatal: undefined };
  let requestId = 0;
  const meter = createProgressMeter(timers.now, () => 0n);
  const start = () => {
    const link = { chainId, transport: network.transportOf(self), timers, randomBytes: createRandom(9).bytes };
    const bootstrapper = startDagBootstrapper(link, {
      dag: { stopVertexID, vertices: chain.vertices, step: chain.createExecutor().step },
      peers: () => peers.map((_, i) => nodeId(i + 1)),
      nextRequestId: () => ++requestId,
      meter,
      maxReceived,
      onFinished: () => {
        outcome.finished = true;
      },
      onRetry: () => {},
      onFatal: (error) => {
        outcome.fatal = error;
      },
    });
    const marked =
      <A extends unknown[]>(work: (...args: A) => void) =>
      (...args: A) => {
        loop.markAsync();
        work(...args);
      };
    const [receive, failed] = [marked(bootstrapper.receive), marked(bootstrapper.failed)];
    network.start(self, { receive, failed, connected: () => {}, disconnected: () => {} });
    return bootstrapper;
  };
  const run = (isDone = () => outcome.finished || outcome.fatal !== undefined) => loop.run(isDone, loop.timers.now() + 600_000);
  return { start, run, outcome, answers, meter };
}

function expectAvalancheGoState(chain: DagChain): void {
  expect(chain.vertices.isLinearized()).toBe(true);
  expect(chain.vertices.missing()).toEqual([]);
  expect(chain.state.stats().txs).toBe(dagVectors.txs + dagChain.genesis.assets.length);
  expect(utxosOf(chain)).toEqual([...dagVectors.utxos]);
  expect(chain.store.db.prepare<{ n: number }>('SELECT count(*) AS n FROM waiting_tx').get()?.n).toBe(0);
}

describe('vertices', () => {
  test('block 0 has the stop vertex as its parent, as in AvalancheGo', () => {
    expect([idText(chainId), idText(dagBlock0.id)]).toEqual([dagVectors.blockchainID, dagVectors.block0]);
    expect(dagBlock0.parentID).toBe(stopVertexID);
  });

  test('are decoded and encoded as AvalancheGo does', () => {
    const stop = dagVertices.find(({ id }) => id === stopVertexID) as Vertex;
    expect([stop.isStop, stop.txIDs.length]).toEqual([true, 0]);
    expect(dagVertices.some(({ parentIDs }) => parentIDs.length > 1)).toBe(true);
    for (const vertex of dagVertices) expect(toHex(packVertex(vertex))).toBe(toHex(vertex.bytes));
  });

  test('have what those of mainnet have: several parents, full batches, a transaction in several vertices, every kind', () => {
    const all = dagVertices.flatMap(({ txIDs }) => txIDs);
    const kinds = new Set(dagVertices.flatMap(({ txs }) => txs.map((tx) => parseTx(tx).unsigned.kind)));
    expect(Math.max(...dagVertices.map(({ parentIDs }) => parentIDs.length))).toBe(4);
    expect(Math.max(...dagVertices.map(({ txIDs }) => txIDs.length))).toBe(30);
    expect(all.length - new Set(all).size).toBe(2);
    expect([...kinds].sort()).toEqual(['BaseTx', 'CreateAssetTx', 'ExportTx', 'ImportTx', 'OperationTx']);
    // Two transactions of a vertex, one of which spends an output of the other.
    const dependsWithin = dagVertices.some(({ txs, txIDs }) =>
      txs.some((tx) => spentRefs(parseTx(tx).unsigned).some(({ txID }) => txIDs.includes(txID))),
    );
    expect(dependsWithin).toBe(true);
  });

  test('that break a rule are refused', () => {
    const vertex = dagVertices.find(({ parentIDs }) => parentIDs.length > 1) as Vertex;
    const refused = (change: Partial<Vertex>): string => {
      try {
        parseVertex(packVertex({ ...vertex, ...change }), chainId);
        return 'accepted';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused({ chainID: zeroId })).toBe('belongs to another chain');
    expect(refused({ parentIDs: [...vertex.parentIDs].reverse() })).toContain('non-sorted or duplicated parentIDs');
    expect(refused({ txs: [...vertex.txs, ...vertex.txs] })).toContain('non-sorted or duplicated transactions');
    expect(refused({ parentIDs: Array.from({ length: 129 }, (_, i) => i.toString(16).padStart(64, '0') as Id) })).toContain(
      'more than 128 parentIDs',
    );
    const [epoch, empty] = [new Uint8Array(vertex.bytes), packVertex({ ...vertex, txs: [] })];
    epoch[45] = 1;
    expect(() => parseVertex(epoch, chainId)).toThrow('invalid epoch');
    expect(() => parseVertex(new Uint8Array([0, 0, ...empty.subarray(2, 42), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), chainId)).toThrow(
      'no operations',
    );
    expect(() => parseVertex(vertex.bytes.subarray(0, -1), chainId)).toThrow();
  });
});

describe('a node fetches and executes the DAG', () => {
  test('from peers of which some are silent or send other vertices', async () => {
    const chain = openDagChain();
    const { start, run, outcome, answers } = openDagNetwork(chain, ['wrong', 'silent', 'honest'], 7);
    start();
    expect(await run()).toBe(true);
    expect(outcome).toEqual({ finished: true, fatal: undefined });
    expect(answers.honest).toBeGreaterThan(2);
    expectAvalancheGoState(chain);
  });

  test('and goes on after a stop, while vertices are fetched and while they are executed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serac-dag-'));
    const path = join(folder, 'chain.sqlite');
    try {
      const first = openDagChain(path);
      const fetching = openDagNetwork(first, ['honest'], 5);
      const bootstrapper = fetching.start();
      await fetching.run(() => (fetching.meter.read().dag?.fetched ?? 0) >= 10);
      bootstrapper.stop();
      first.close();
      const second = openDagChain(path);
      const stored = second.vertices.after(undefined, 1000).length;
      expect(stored).toBeGreaterThan(9);
      expect(second.vertices.missing().length).toBeGreaterThan(0);
      const rest = openDagNetwork(second, ['honest']);
      rest.start();
      expect(await rest.run()).toBe(true);
      expectAvalancheGoState(second);
      second.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('in an order in which a transaction follows those it depends on, also if its vertex is lower', () => {
    const chain = openDagChain();
    const txs = dagVertices.flatMap((vertex) => vertex.txs.map((tx, i) => ({ tx, id: vertex.txIDs[i] as Id })));
    const unique = [...new Map(txs.map((one) => [one.id, one])).values()].reverse();
    // One transaction in each vertex, the last ones lowest.
    const vertices: Vertex[] = [];
    for (const [i, { tx }] of unique.entries()) {
      const parentIDs = vertices.slice(-1).map(({ id }) => id);
      vertices.push(parseVertex(packVertex({ chainID: chainId, height: BigInt(i), parentIDs, txs: [tx] }), chainId));
    }
    chain.vertices.add(vertices);
    // Stopped while all of its transactions wait for higher ones.
    chain.createExecutor().step();
    expect(chain.vertices.executed()).toBeUndefined();
    executeAll(chain);
    expectAvalancheGoState(chain);
  });

  test('and refuses a transaction that is invalid', () => {
    const chain = openDagChain();
    const [spender] = dagVertices.filter(({ txs }) => txs.length > 0);
    chain.vertices.add([parseVertex(packVertex({ ...(spender as Vertex), height: 0n, parentIDs: [] }), chainId)]);
    const last = dagVertices.findLast(({ txs }) => txs.length > 0) as Vertex;
    chain.vertices.add([parseVertex(packVertex({ ...last, height: 1n, parentIDs: [] }), chainId)]);
    expect(() => executeAll(chain)).toThrow('spend outputs of transactions that no vertex has');
  });
});

describe('the history of a chain with a DAG', () => {
  test('begins at the genesis: its index is the same when it is built again, and the database has no problems', () => {
    const folder = mkdtempSync(join(tmpdir(), 'serac-dag-'));
    try {
      const chain = openDagChain(join(folder, 'chain.sqlite'));
      chain.vertices.add(dagVertices);
      executeAll(chain);
      expect(checkChain(chain.store, chainId).problems).toEqual([]);
      const reindex = openReindex({ store: chain.store, open: openDatabase, path: join(folder, 'rebuilt.sqlite'), chains: [chain.spec] });
      for (const _ of reindex.build());
      const compare = reindex.compare();
      let step = compare.next();
      while (step.done !== true) step = compare.next();
      expect(step.value).toEqual([]);
      reindex.close();
      const { n } = chain.store.db.prepare<{ n: number }>('SELECT count(*) AS n FROM c1_history').get() as { n: number };
      expect(n).toBeGreaterThan(dagVectors.txs);
      chain.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('is in the Data API, with the height and the time of block 0', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serac-dag-'));
    const files = { genesis: join(folder, 'genesis.json'), upgrades: join(folder, 'upgrades.json') };
    writeFileSync(files.genesis, JSON.stringify(dagVectors.genesis));
    writeFileSync(files.upgrades, JSON.stringify(dagVectors.upgrades));
    writeDag(folder);
    const { networkID } = dagVectors.genesis;
    const network = [`--network-id=${networkID}`, `--genesis-file=${files.genesis}`, `--upgrade-file=${files.upgrades}`];
    // Alone, it is at the tip at once.
    const alone = ['--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0', `--data-dir=${folder}`];
    const node = await startProgramAsUsers('join', ...network, ...alone);
    try {
      const listed = new Set<string>();
      for (let token = ''; ; ) {
        const path = `/v1/networks/${networkID}/blockchains/x-chain/transactions?pageSize=100${token && `&pageToken=${token}`}`;
        const page = await eventually(
          async () => (await fetch(`${node.url}${path}`)).json() as Promise<ListedTxs>,
          ({ transactions }) => transactions !== undefined,
          60_000,
        );
        for (const { txHash, blockHeight, timestamp } of page.transactions ?? []) {
          expect([`${blockHeight}`, timestamp]).toEqual(['0', Number(dagBlock0.time)]);
          listed.add(txHash);
        }
        if (page.nextPageToken === undefined) break;
        token = encodeURIComponent(page.nextPageToken);
      }
      expect(listed.size).toBe(dagVectors.txs + dagChain.genesis.assets.length);
      for (const { txIDs } of dagVertices) for (const id of txIDs) expect(listed.has(idText(id))).toBe(true);
      await expectVertices(`${node.url}/v1/networks/${networkID}/blockchains/x-chain`);
    } finally {
      await node.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('vertices are served breadth-first, also those whose transactions are executed', () => {
    const chain = openDagChain();
    chain.vertices.add(dagVertices);
    executeAll(chain);
    for (const { id, bytes } of dagVertices) expect(toHex(chain.vertices.bytes(id) as Uint8Array)).toBe(toHex(bytes));
    expect(chain.vertices.bytes(zeroId)).toBeUndefined();
  });
});

/** The vertex routes of the Data API: every vertex of vectors/dag.json, by page, by height and by ID. */
async function expectVertices(chainUrl: string): Promise<void> {
  type Page = { readonly vertices: readonly object[]; readonly nextPageToken?: string };
  const get = async <T>(path: string): Promise<T> => (await fetch(`${chainUrl}/${path}`)).json() as Promise<T>;
  const readAll = async (path: string): Promise<object[]> => {
    const all: object[] = [];
    for (let token = ''; ; ) {
      const page: Page = await get(`${path}${token && `&pageToken=${encodeURIComponent(token)}`}`);
      all.push(...page.vertices);
      if (page.nextPageToken === undefined) return all;
      token = page.nextPageToken;
    }
  };
  const expected = shownVertices();
  expect(await readAll('vertices?pageSize=7')).toEqual(expected.toReversed());
  for (const height of new Set(expected.map(({ vertexHeight }) => vertexHeight))) {
    const atHeight = expected.filter(({ vertexHeight }) => vertexHeight === height);
    expect(await readAll(`vertices:listByHeight?vertexHeight=${height}&pageSize=1&sortOrder=asc`)).toEqual(atHeight);
    expect(await readAll(`vertices:listByHeight?vertexHeight=${height}`)).toEqual(atHeight.toReversed());
  }
  expect(Math.max(...expected.map(({ parentHashes }) => parentHashes.length))).toBeGreaterThan(1);
  for (const vertex of expected) expect(await get<object>(`vertices/${vertex.vertexHash}`)).toEqual(vertex);
  expect((await fetch(`${chainUrl}/vertices/${idText(zeroId)}`)).status).toBe(404);
}
