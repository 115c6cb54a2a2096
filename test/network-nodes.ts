import { expect } from 'bun:test';
import { parseBlock } from '../src/avm/tx/block.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { parseUtxo, refId, type Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex, fromHex, parseHex, toHex } from '../src/base/bytes/hex.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import type { Client } from './http.ts';
import { eventually } from './processes.ts';
import { type Program, startProgramAsUsers } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** A node of a network, AvalancheGo or Serac, as tests ask it. */
export type NetworkNode = { readonly name: string; readonly client: Client };

const xPath = '/ext/bc/X';

async function call<T>({ name, client }: NetworkNode, path: string, method: string, params: object = {}): Promise<T> {
  const { result, error } = await client.call(path, method, params);
  if (error !== undefined) throw new Error(`${name}: ${method}: ${error.message}`);
  return result as T;
}

export const heightOf = async (node: NetworkNode): Promise<bigint> =>
  BigInt((await call<{ height: string }>(node, xPath, 'avm.getHeight')).height);

export const peersOf = async (node: NetworkNode): Promise<{ nodeID: string; version: string }[]> =>
  (await call<{ peers: { nodeID: string; version: string }[] | null }>(node, '/ext/info', 'info.peers', { nodeIDs: [] })).peers ?? [];

export const nodeIDOf = async (node: NetworkNode): Promise<string> =>
  (await call<{ nodeID: string }>(node, '/ext/info', 'info.getNodeID')).nodeID;

export const versionOf = async (node: NetworkNode): Promise<string> =>
  (await call<{ version: string }>(node, '/ext/info', 'info.getNodeVersion')).version;

export const isBootstrapped = async (node: NetworkNode, chain = 'X'): Promise<boolean> => {
  try {
    return (await call<{ isBootstrapped: boolean }>(node, '/ext/info', 'info.isBootstrapped', { chain })).isBootstrapped;
  } catch {
    return false;
  }
};

/** Starts Serac on a network of AvalancheGo, and waits until it is at the tip. */
export async function startJoined(...flags: string[]): Promise<{ program: Program; node: NetworkNode }> {
  const program = await startProgramAsUsers(...flags);
  const node = { name: 'Serac', client: program.client };
  await eventually(
    () => isBootstrapped(node),
    (isDone) => isDone,
    60_000,
  );
  return { program, node };
}

export const issueTo = async (node: NetworkNode, tx: Tx): Promise<void> =>
  void (await call(node, xPath, 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' }));

export async function isAccepted(node: NetworkNode, id: Id): Promise<boolean> {
  const { status } = await call<{ status: string }>(node, xPath, 'avm.getTxStatus', { txID: idText(id) });
  return status === 'Accepted';
}

/** Waits until all nodes have accepted a transaction. Returns after how many milliseconds each had. */
export async function untilAcceptedBy(nodes: readonly NetworkNode[], id: Id, timeout = 60_000): Promise<number[]> {
  const start = performance.now();
  return Promise.all(
    nodes.map(async (node) => {
      while (!(await isAccepted(node, id))) {
        if (performance.now() - start > timeout) throw new Error(`${node.name} has not accepted ${idText(id)}`);
        await Bun.sleep(5);
      }
      return performance.now() - start;
    }),
  );
}

/** nAVAX of each lane: enough for 100,000 transactions. */
const laneAmount = 10n ** 14n;

/** Splits an output of `ewoq`, that of a new local network, into outputs, each the start of a chain of transactions that depend on nothing else. */
export function createLanes(count: number, funds: Utxo = ewoqGenesisUtxo, terms = localChainParams) {
  const { feeAsset } = terms;
  const wallet = createWallet('lanes', { keys: [ewoq], count: Math.max(2, count), terms });
  const keys = wallet.keys.slice(0, count);
  const first = signDraft(
    baseTx(
      wallet,
      { utxos: [funds] },
      keys.map((key) => transfer(feeAsset, laneAmount, ownedBy([key]))),
    ),
  );
  const lanes: Utxo[] = keys.map(
    (key) =>
      effectsOf(first).created.find(
        ({ output }) => output.addresses[0] === key.address && 'amount' in output && output.amount === laneAmount,
      ) as Utxo,
  );
  /** The next transaction of a lane: it spends the change of the one before. */
  const next = (lane: number): Tx => {
    const key = keys[lane] as Key;
    const to = keys[(lane + 1) % keys.length] as Key;
    const only = { ...wallet, keys: [key] };
    const tx = signDraft(baseTx(only, { utxos: [lanes[lane] as Utxo] }, [transfer(feeAsset, 7n, ownedBy([to]))]));
    lanes[lane] = effectsOf(tx).created.find(
      ({ output }) => output.addresses[0] === key.address && 'amount' in output && output.amount !== 7n,
    ) as Utxo;
    return tx;
  };
  return { first, next, addresses: keys.map(({ address }) => address) };
}

/** All unspent outputs of an address as a node lists them, as sorted hex. */
export async function utxosOf(node: NetworkNode, address: string): Promise<string[]> {
  const found = new Set<string>();
  let startIndex: { address: string; utxo: string } | undefined;
  for (;;) {
    const page = await call<{ numFetched: string; utxos: string[]; endIndex: { address: string; utxo: string } }>(
      node,
      xPath,
      'avm.getUTXOs',
      {
        addresses: [address],
        limit: 1024,
        encoding: 'hex',
        ...(startIndex && { startIndex }),
      },
    );
    const before = found.size;
    for (const text of page.utxos) found.add(toHex(parseHex('hex', text)));
    if (Number(page.numFetched) < 1024 || found.size === before) return [...found].sort();
    startIndex = page.endIndex;
  }
}

/** Reads the bytes of all blocks of a node, from 1 on. */
async function blocksOf(node: NetworkNode, height: bigint): Promise<string[]> {
  const blocks: string[] = [];
  for (let at = 1n; at <= height; at++)
    blocks.push((await call<{ block: string }>(node, xPath, 'avm.getBlockByHeight', { height: `${at}`, encoding: 'hex' })).block);
  return blocks;
}

/**
 * Compares nodes: equal heights, equal blocks, and for each address the same unspent outputs, which must be those that the effects of the
 * transactions in the blocks leave. Returns the height.
 */
export async function expectSameChains(
  nodes: readonly NetworkNode[],
  timeout = 60_000,
  { genesisUtxo = ewoqGenesisUtxo, hrp = 'local' } = {},
): Promise<bigint> {
  const formatAddress = createAddressFormatter('X', hrp);
  await eventually(
    () => Promise.all(nodes.map(heightOf)),
    (heights) => new Set(heights).size === 1,
    timeout,
  );
  const height = await heightOf(nodes[0] as NetworkNode);
  const chains = await Promise.all(nodes.map((node) => blocksOf(node, height)));
  for (const [i, blocks] of chains.entries()) expect([nodes[i]?.name, blocks]).toEqual([nodes[i]?.name, chains[0] as string[]]);
  const unspent = new Map<Id, Utxo>([[genesisUtxo.id, genesisUtxo]]);
  const owners = new Set<string>();
  for (const text of chains[0] as string[])
    for (const tx of parseBlock(parseHex('hex', text)).txs) {
      const { spent, created } = effectsOf(tx);
      for (const ref of spent) unspent.delete(refId(ref));
      for (const utxo of created) {
        unspent.set(utxo.id, utxo);
        for (const address of utxo.output.addresses) owners.add(address);
      }
    }
  for (const address of owners) {
    const expected = [...unspent.values()].filter(({ output }) => output.addresses.some((one) => one === address)).map(({ id }) => id);
    for (const node of nodes) {
      const listed = (await utxosOf(node, formatAddress(address as never))).map((hex) => parseUtxo(fromHex(hex)).id);
      expect([node.name, address, listed.sort()]).toEqual([node.name, address, expected.sort()]);
    }
  }
  return height;
}
