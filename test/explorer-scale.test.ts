import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChainStore } from '../bench/chain-store.ts';
import { makeBlock } from '../src/avm/tx/block.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { refId } from '../src/avm/tx/utxo.ts';
import { bech32Encode } from '../src/base/bytes/bech32.ts';
import { fromHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { NewBlock } from '../src/ledger/state/block-change.ts';
import { recordFigure } from './figure.ts';
import { type Program, startProgram } from './program.ts';
import { ewoq, ewoqGenesisUtxo, keyFrom, localChainParams, ownedBy, sign, transfer } from './wallet-kit.ts';

/**
 * Pages of large things: a transaction of 1,000 outputs, a block of 5,000 transactions, an address of 10,000 unspent outputs. The mempool would
 * refuse such a transaction and build smaller blocks, so the chain is written with the node's own store, unverified.
 */
const [wideOutputs, blockTxs, addressOutputs] = [1000, 5000, 10_000];
/** Milliseconds, on a machine that does nothing else. */
const maxTime = 200;

const rich = keyFrom(Uint8Array.from({ length: 32 }, (_, i) => i + 1));
const richText = `X-${bech32Encode('local', fromHex(rich.address))}`;
const amount = 10n ** 12n;

/** Spends one output of the first key to many outputs; what is left is burned as the fee. */
const spendTo = (utxo: Utxo, count: number, each: bigint, to = ewoq): Tx =>
  sign(
    {
      kind: 'BaseTx',
      networkID: localChainParams.networkID,
      blockchainID: localChainParams.blockchainID,
      inputs: [
        {
          txID: utxo.txID,
          outputIndex: utxo.outputIndex,
          assetID: utxo.assetID,
          input: { kind: 'secp256k1fx.TransferInput', amount: 'amount' in utxo.output ? utxo.output.amount : 0n, signatureIndices: [0] },
        },
      ],
      outputs: Array.from({ length: count }, () => transfer(localChainParams.feeAsset, each, ownedBy([to]))),
      memo: new Uint8Array(0),
    },
    [[ewoq]],
  );

let dir: string;
let node: Program;
let wide: Tx;
let lastTx: Tx;
/** A name and a symbol that verification refuses: a node that lies to its followers could send them. */
const hostile = '<script>alert(1)</script>"\u202e';
let hostileAsset: Tx;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'serac-explorer-scale-'));
  const store = openChainStore(dir, 'write', { skipDiskSync: true });
  try {
    let parent: Pick<NewBlock['block'], 'id' | 'height'> = store.state.lastAccepted();
    const unspent = new Map<string, Utxo>([[ewoqGenesisUtxo.id, ewoqGenesisUtxo]]);
    const add = (txs: readonly Tx[]): void => {
      const applied = txs.map((tx) => ({ tx, effects: effectsOf(tx) }));
      for (const { effects } of applied) for (const utxo of effects.created) unspent.set(utxo.id, utxo);
      const consumed = new Map(
        applied.flatMap(({ effects }) => effects.spent.map((ref) => [refId(ref), unspent.get(refId(ref)) as Utxo] as const)),
      );
      const time = BigInt(Math.floor(Date.now() / 1000) - 60) + parent.height;
      const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time, txs: [...txs] });
      store.state.commitAll([{ block, diff: { applied, consumed } }], store.index!.indexBlocks);
      parent = block;
    };
    const root = spendTo(ewoqGenesisUtxo, 10, amount * 1100n);
    hostileAsset = sign(
      {
        kind: 'CreateAssetTx',
        networkID: localChainParams.networkID,
        blockchainID: localChainParams.blockchainID,
        inputs: [],
        outputs: [],
        memo: new Uint8Array(0),
        name: Buffer.from(hostile),
        symbol: Buffer.from('<u>'),
        denomination: 0,
        initialStates: [{ fxIndex: 0, outputs: [{ kind: 'secp256k1fx.TransferOutput', amount: 5n, ...ownedBy([rich]) }] }],
      },
      [],
    );
    add([root, hostileAsset]);
    const fans = effectsOf(root).created.map((utxo) => spendTo(utxo, wideOutputs, amount));
    wide = fans[0] as Tx;
    add(fans);
    const coins = fans.flatMap((tx) => effectsOf(tx).created);
    const txs = coins.slice(0, blockTxs).map((utxo) => spendTo(utxo, addressOutputs / blockTxs, amount / 4n, rich));
    lastTx = txs.at(-1) as Tx;
    add(txs);
  } finally {
    store.close();
  }
  node = await startProgram(`--data-dir=${dir}`, '--accounts=0', '--workers=0');
});
afterAll(async () => {
  await node?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Loads a page twice: the first time includes reading from disk and compiling, the second is what a reader feels. */
async function load(path: string): Promise<string> {
  const get = async () => {
    const started = performance.now();
    const response = await fetch(node.url + path, { headers: { accept: 'text/html' } });
    const text = await response.text();
    return { status: response.status, text, took: performance.now() - started };
  };
  const [first, second] = [await get(), await get()];
  expect([path, first.status, second.status]).toEqual([path, 200, 200]);
  recordFigure({ name: `explorer page ${path.replace(/[A-Za-z0-9]{30,}/, '…')}`, unit: 'ms', value: second.took, limit: maxTime });
  return second.text;
}

test('a transaction of 1,000 outputs shows all of them, and 11 of them in its flow', async () => {
  const html = await load(`/tx/${idText(wide.id)}`);
  expect(html).toContain('id="out-999"');
  expect(html).toMatch(/\+\d+ more/);
});

test('a block of 5,000 transactions: a map of the first 600, and a table in pages that reaches the last', async () => {
  const html = await load('/block/3');
  expect(html).toContain('5,000');
  expect(html.match(/class="cell-link"/g)).toHaveLength(600);
  expect(html).toContain('/block/3?from=50');
  expect(html.match(/id="tx-\d+"/g)).toHaveLength(50);
  const last = await load('/block/3?from=4999');
  expect(last).toContain('id="tx-4950"');
  expect(last).toContain(`<a class="mono" href="/tx/${idText(lastTx.id)}"`);
  expect(last).not.toContain('?from=5000');
});

test('what blocks move is added up only of few transactions and bytes; the list of blocks says so', async () => {
  const summed = async (query: string): Promise<(readonly [string, string | undefined])[]> => {
    const path = `/v1/networks/local/blockchains/x-chain/block-summaries?withMoved=true${query}`;
    const { blocks } = (await (await fetch(node.url + path)).json()) as { blocks: { blockNumber: string; moved?: { amount: string }[] }[] };
    return blocks.map(({ blockNumber, moved }) => [blockNumber, moved?.map((one) => one.amount).join()]);
  };
  // Block 3 has 5,000 transactions, and the ten of block 2 have 10,000 outputs.
  expect((await summed('')).filter(([, moved]) => moved !== undefined)).toEqual([['0', '']]);
  const [[height, moved] = []] = await summed('&endBlock=1');
  expect([height, moved?.split(',').at(-1)]).toEqual(['1', '5']);
  expect((await load('/blocks')).match(/too many to add up/g)).toHaveLength(3);
});

test('an address of 10,000 outputs', async () => {
  const html = await load(`/address/${richText}`);
  expect(html).toContain('of 10,001 unspent outputs');
  await load(`/address/${richText}?range=all`);
});

test('lists beside them', async () => {
  for (const path of ['/', '/blocks', '/assets', '/throughput', '/cross-chain', `/asset/${idText(localChainParams.feeAsset)}`])
    await load(path);
});

test('a hostile name and symbol of an asset are text, never markup', async () => {
  const id = idText(hostileAsset.id);
  for (const path of [
    `/asset/${id}`,
    `/tx/${id}`,
    '/assets',
    '/block/1',
    `/address/${richText}`,
    `/address/${richText}?asset=${id}`,
    '/',
  ]) {
    const html = await (await fetch(node.url + path, { headers: { accept: 'text/html' } })).text();
    expect([path, html.includes('<script>alert'), html.includes('<u>')]).toEqual([path, false, false]);
    expect([path, html.match(/<script\b/g)?.length]).toEqual([path, 3]);
  }
});
