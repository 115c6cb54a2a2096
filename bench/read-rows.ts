import type { Tx } from '../src/avm/tx/tx.ts';
import { idText } from '../src/base/bytes/id.ts';
import { type Fixture, richUtxos, rpcBody, xPath } from './fixture.ts';
import { createPosts, type Requests } from './load.ts';

/** A read call to measure. `atLeast` is the target: the minimum ratio of Serac's rate to AvalancheGo's. */
type ReadRow = {
  readonly name: string;
  readonly atLeast: number;
  readonly requests: (fixture: Fixture) => Requests;
  /** The part of a response that must be equal on both servers; leaves out heights and any order that is not specified. */
  readonly comparable: (result: JsonValue) => unknown;
};

// biome-ignore lint/suspicious/noExplicitAny: any JSON
export type JsonValue = any;

const createXCalls = (method: string, params: readonly unknown[] = [undefined]): Requests =>
  createPosts(
    xPath,
    params.map((one) => rpcBody(method, one)),
  );

const byTx = (txs: readonly Tx[], more = {}) => txs.map((tx) => ({ txID: idText(tx.id), ...more }));
const wholeResult = (result: JsonValue): unknown => result;
const utxosUpTo = (limit: number) => (f: Fixture) => createXCalls('avm.getUTXOs', [{ addresses: [f.richAddress], limit }]);

export const readRows: readonly ReadRow[] = [
  {
    name: 'info.getNetworkID',
    atLeast: 1.6,
    requests: () => createPosts('/ext/info', [rpcBody('info.getNetworkID')]),
    comparable: wholeResult,
  },
  { name: 'getHeight', atLeast: 1.6, requests: () => createXCalls('avm.getHeight'), comparable: () => 'height' },
  { name: 'getTxStatus', atLeast: 1.6, requests: (f) => createXCalls('avm.getTxStatus', byTx(f.smallTxs)), comparable: wholeResult },
  {
    name: 'getTx hex',
    atLeast: 1.6,
    requests: (f) => createXCalls('avm.getTx', byTx(f.smallTxs, { encoding: 'hex' })),
    comparable: wholeResult,
  },
  {
    name: 'getBlockByHeight hex',
    atLeast: 1.6,
    // Block 1 has the same transactions on both servers; how later ones are split into blocks may differ.
    requests: () => createXCalls('avm.getBlockByHeight', [{ height: '1', encoding: 'hex' }]),
    comparable: (r) => r.block.length,
  },
  {
    name: 'getAssetDescription',
    atLeast: 1.6,
    requests: () => createXCalls('avm.getAssetDescription', [{ assetID: 'AVAX' }]),
    comparable: wholeResult,
  },
  {
    name: 'getTx json 1 out',
    atLeast: 2.5,
    requests: (f) => createXCalls('avm.getTx', byTx(f.smallTxs, { encoding: 'json' })),
    comparable: wholeResult,
  },
  {
    name: 'getTx json 501 outs',
    atLeast: 8,
    requests: (f) => createXCalls('avm.getTx', byTx(f.wideTxs, { encoding: 'json' })),
    comparable: wholeResult,
  },
  { name: 'getUTXOs limit 1', atLeast: 3, requests: utxosUpTo(1), comparable: (r) => r.numFetched },
  { name: 'getUTXOs limit 100', atLeast: 5, requests: utxosUpTo(100), comparable: (r) => r.numFetched },
  { name: 'getUTXOs limit 1024', atLeast: 6, requests: utxosUpTo(1024), comparable: (r) => r.numFetched },
  {
    name: `getBalance ${richUtxos} UTXOs`,
    atLeast: 300,
    requests: (f) => createXCalls('avm.getBalance', [{ address: f.richAddress, assetID: 'AVAX' }]),
    comparable: (r) => [r.balance, r.utxoIDs.map((id: JsonValue) => `${id.txID}:${id.outputIndex}`).sort()],
  },
  {
    name: `getAllBalances ${richUtxos} UTXOs`,
    atLeast: 1000,
    requests: (f) => createXCalls('avm.getAllBalances', [{ address: f.richAddress }]),
    comparable: wholeResult,
  },
];
