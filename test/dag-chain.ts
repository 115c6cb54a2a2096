import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { dataFilesIn } from '../src/app/node/data-files.ts';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { genesisBlock } from '../src/avm/genesis/genesis-block.ts';
import { loadNetworkGenesis } from '../src/avm/genesis/network-genesis.ts';
import { parseUpgradeFile } from '../src/avm/genesis/upgrade-file.ts';
import { getNetwork } from '../src/avm/network.ts';
import { parseVertex, type Vertex } from '../src/avm/tx/vertex.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { fromHex } from '../src/base/bytes/hex.ts';
import { idOf, idText, parseId, zeroId } from '../src/base/bytes/id.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { createSignerCache } from '../src/base/crypto/recover.ts';
import { createExtendGenesis } from '../src/chain/lifecycle/accept.ts';
import { createTxVerifier } from '../src/chain/lifecycle/tx-verifier.ts';
import { createDagExecutor } from '../src/chain/linearize/dag-executor.ts';
import { migrateStore } from '../src/ledger/index/migrate.ts';
import { openSqliteIndex } from '../src/ledger/index-sqlite/sqlite-index.ts';
import { getChainNumber } from '../src/ledger/state/chain-number.ts';
import { openState } from '../src/ledger/state/chain-state.ts';
import { openSharedMemory } from '../src/ledger/state/shared-memory.ts';
import { memoryPath } from '../src/ledger/store/database.ts';
import { openStore } from '../src/ledger/store/store.ts';
import { openVertexStore } from '../src/ledger/vertices/vertex-store.ts';

/** A DAG that AvalancheGo 1.9.16 made, and what AvalancheGo 1.14.2 has after it; see vectors/README.md. */
type DagVectors = {
  readonly genesis: { readonly networkID: number };
  readonly upgrades: object;
  readonly blockchainID: string;
  readonly stopVertexID: string;
  readonly block0: string;
  readonly txs: number;
  readonly vertices: readonly string[];
  readonly utxos: readonly string[];
  readonly balances: { readonly [address: string]: readonly { readonly asset: string; readonly balance: string }[] };
};

export const dagVectors: DagVectors = JSON.parse(readFileSync(new URL('../vectors/dag.json', import.meta.url), 'utf8'));

const network = { ...getNetwork(dagVectors.genesis.networkID), upgrades: parseUpgradeFile(JSON.stringify(dagVectors.upgrades)) };
const readData = (file: string) => readFileSync(new URL(`../src/avm/genesis/data/${file}`, import.meta.url));
const unixSeconds = BigInt(Math.floor(Date.now() / 1000));
export const { x: dagChain } = loadNetworkGenesis(network, JSON.stringify(dagVectors.genesis), { readData, unixSeconds });
export const dagBlock0 = genesisBlock(dagChain.blockchainID, network.upgrades);
export const stopVertexID = parseId(dagVectors.stopVertexID);
export const dagVertices: readonly Vertex[] = dagVectors.vertices.map((hex) => parseVertex(fromHex(hex), dagChain.blockchainID));

/** The chain of these vertices at its genesis, with its history index and an executor of vertices. */
export function openDagChain(path: string = memoryPath) {
  const { blockchainID: id, genesis } = dagChain;
  const store = openStore(openDatabase, { path, networkID: network.id, genesis: id });
  const state = openState(store, openSharedMemory(store), { id, genesis: idOf(genesis.bytes) });
  const number = getChainNumber(store, id);
  migrateStore(store, number);
  const spec = { number, id, feeAsset: genesis.assets[0].tx.id, completeFrom: 0 };
  const index = openSqliteIndex(store, spec);
  if (!state.isInitialized())
    state.init(
      genesis.assets.map(({ tx }) => tx),
      dagBlock0,
      index.indexBlocks,
    );
  const verifier = createTxVerifier({
    rules: { networkID: network.id, chainID: id, feeAsset: spec.feeAsset, ...network.fees },
    recover: createSignerCache(recoverNative).recover,
    addressText: createAddressFormatter('X', network.hrp),
    now: () => unixSeconds,
    subnetID: zeroId,
    subnetOf: () => zeroId,
  });
  verifier.setBootstrapping(true);
  const vertices = openVertexStore(store, id, state.txBytes);
  const extendGenesis = createExtendGenesis(state, index.indexBlocks);
  /** A new one begins where the stored progress ends, as after a restart. */
  const createExecutor = () => createDagExecutor({ vertices, view: state, verifier, extendGenesis });
  return { store, state, spec, index, vertices, createExecutor, close: store.close };
}

export type DagChain = ReturnType<typeof openDagChain>;

/** Writes a data directory that has the DAG, as if it had been fetched. */
export function writeDag(dataDir: string): void {
  const path = dataFilesIn(dataDir).database;
  mkdirSync(dirname(path), { recursive: true });
  const chain = openDagChain(path);
  chain.vertices.add(dagVertices);
  const executor = chain.createExecutor();
  while (executor.step() !== undefined);
  chain.close();
}

/** The vertices as the Data API shows them, in the order of execution. */
export const shownVertices = () =>
  [...dagVertices]
    .sort((a, b) => Number(a.height - b.height) || (a.id < b.id ? -1 : 1))
    .map(({ id, height, parentIDs, txIDs, bytes }, vertexIndex) => ({
      vertexHash: idText(id),
      parentHashes: parentIDs.map(idText),
      vertexHeight: Number(height),
      vertexIndex,
      vertexTimestamp: Number(dagBlock0.time),
      txCount: txIDs.length,
      vertexSizeBytes: bytes.length,
      transactions: txIDs.map(idText),
    }));
