import { idText } from '../src/bytes/id.ts';
import type { Tx } from '../src/tx/tx.ts';
import { type Fixture, richUtxos, rpcBody, xPath } from './fixture.ts';
import { posts, type Requests } from './load.ts';

/** A call that is answered from state, and how many times AvalancheGo's rate Serac must reach: design.md, "What fast means here". */
export type ReadRow = {
  readonly name: string;
  readonly atLeast: number;
  readonly requests: (fixture: Fixture) => Requests;
  /** What must be the same in both servers' answers to the same request; heights and orders that no rule fixes are not. */
  readonly alike: (result: Answered) => unknown;
};

// biome-ignore lint/suspicious/noExplicitAny: any JSON
export type Answered = any;

const onX = (method: string, params: readonly unknown[] = [undefined]): Requests =>
  posts(
    xPath,
    params.map((one) => rpcBody(method, one)),
  );

const byTx = (txs: readonly Tx[], more = {}) => txs.map((tx) => ({ txID: idText(tx.id), ...more }));
const whole = (result: Answered): unknown => result;
const utxosUpTo = (limit: number) => (f: Fixture) => onX('avm.getUTXOs', [{ addresses: [f.richAddress], limit }]);

export const readRows: readonly ReadRow[] = [
  {
    name: 'info.getNetworkID',
    atLeast: 1.6,
    requests: () => posts('/ext/info', [rpcBody('info.getNetworkID')]),
    alike: whole,
  },
  { name: 'getHeight', atLeast: 1.6, requests: () => onX('avm.getHeight'), alike: () => 'height' },
  { name: 'getTxStatus', atLeast: 1.6, requests: (f) => onX('avm.getTxStatus', byTx(f.smallTxs)), alike: whole },
  { name: 'getTx hex', atLeast: 1.6, requests: (f) => onX('avm.getTx', byTx(f.smallTxs, { encoding: 'hex' })), alike: whole },
  { name: 'getAssetDescription', atLeast: 1.6, requests: () => onX('avm.getAssetDescription', [{ assetID: 'AVAX' }]), alike: whole },
  { name: 'getTx json 1 out', atLeast: 2.5, requests: (f) => onX('avm.getTx', byTx(f.smallTxs, { encoding: 'json' })), alike: whole },
  { name: 'getTx json 501 outs', atLeast: 8, requests: (f) => onX('avm.getTx', byTx(f.wideTxs, { encoding: 'json' })), alike: whole },
  { name: 'getUTXOs limit 1', atLeast: 3, requests: utxosUpTo(1), alike: (r) => r.numFetched },
  { name: 'getUTXOs limit 100', atLeast: 5, requests: utxosUpTo(100), alike: (r) => r.numFetched },
  { name: 'getUTXOs limit 1024', atLeast: 6, requests: utxosUpTo(1024), alike: (r) => r.numFetched },
  {
    name: `getBalance ${richUtxos} UTXOs`,
    atLeast: 300,
    requests: (f) => onX('avm.getBalance', [{ address: f.richAddress, assetID: 'AVAX' }]),
    alike: (r) => [r.balance, r.utxoIDs.map((id: Answered) => `${id.txID}:${id.outputIndex}`).sort()],
  },
  {
    name: `getAllBalances ${richUtxos} UTXOs`,
    atLeast: 1000,
    requests: (f) => onX('avm.getAllBalances', [{ address: f.richAddress }]),
    alike: whole,
  },
];
