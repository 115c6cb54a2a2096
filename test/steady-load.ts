import type { Tx } from '../src/avm/tx/tx.ts';
import { parseUtxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { Client } from './http.ts';
import { createLanes } from './network-nodes.ts';
import { eventually } from './processes.ts';

// biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
type Result = any;

/** Transactions at a steady rate: transfers of many senders, and some of every other kind. */
export type SteadyLoad = {
  /** X addresses. The first one pays for the rare transactions and sends nothing in the load. */
  readonly addresses: readonly string[];
  /** An asset that can be minted, and a family of NFTs. */
  readonly asset: string;
  readonly family: string;
  /** Runs until a value of `performance.now()`; returns how many transactions were issued. */
  readonly run: (options: SteadyLoadOptions) => Promise<number>;
};

type SteadyLoadOptions = {
  /** Transactions per second; infinite for as many as the node takes. Those that the machine is too slow for are not made up for. */
  readonly rate: number;
  readonly until: number;
  /** Ends the run when this many were issued. */
  readonly maxTxs?: number;
  readonly onIssue?: (tx: Tx) => void;
  /** Waits until a transaction is accepted; asks the node by default. */
  readonly untilAccepted?: (tx: Tx) => Promise<void>;
  /** Runs after each transaction, before the next one of its sender. */
  readonly afterEach?: (tx: Tx | undefined) => Promise<void>;
};

/** Every 25th transaction is of another kind than a transfer. */
const rareEvery = 25;

/** Splits the funds of the first account among senders and creates the assets. The node has one account (`--accounts=1`). */
export async function prepareSteadyLoad(client: Client, senders: number): Promise<SteadyLoad> {
  const call = async (path: string, method: string, params: object = {}): Promise<Result> => {
    const { result, error } = await client.call(path, method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const issue = (tx: Tx): Promise<Result> => call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes) });
  const askUntilAccepted = async ({ id }: Tx): Promise<void> => {
    const readStatus = async () => (await call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(id) })).status;
    await eventually(readStatus, (status) => status === 'Accepted');
  };

  const { accounts } = await call('/ext/dev', 'dev.accounts');
  const { utxos } = await call('/ext/bc/X', 'avm.getUTXOs', { addresses: [accounts[0].address] });
  const lanes = createLanes(senders + 1, parseUtxo(parseHex('hex', utxos[0])));
  await issue(lanes.first);
  await askUntilAccepted(lanes.first);
  const addresses = lanes.addresses.map(createAddressFormatter('X', 'local'));
  const [, owner] = addresses;
  const spec = { name: 'Ice', symbol: 'ICE', denomination: 2, supply: '1000', owner, mintable: true };
  const { assetID: asset } = await call('/ext/dev', 'dev.createAsset', spec);
  const { assetID: family } = await call('/ext/dev', 'dev.createNFT', { name: 'Cards', symbol: 'CARD' });

  const rare: readonly ((to: string) => readonly [method: string, params: object])[] = [
    (to) => ['dev.mint', { assetID: asset, to, amount: '500' }],
    (to) => ['dev.mintNFT', { assetID: family, to, payload: 'ace' }],
    (to) => ['dev.export', { destinationChain: 'P', from: 1, to, amount: '0.5 AVAX' }],
    () => ['dev.createAsset', { name: 'Soak', symbol: 'SOAK', supply: '1000' }],
    (to) => ['dev.atomicDeposit', { from: 'C', to, amount: '1 AVAX' }],
    () => ['dev.createNFT', { name: 'More cards', symbol: 'MORE' }],
  ];
  /** The node issues those of its accounts one after the other, so only one is on its way. One whose output waits in another is refused, which is no fault. */
  let isRareIssued = false;
  const issueRare = async (number: number, to: string): Promise<void> => {
    const [method, params] = rare[number % rare.length]?.(to) ?? ['', {}];
    isRareIssued = true;
    try {
      await client.call('/ext/dev', method, params);
    } finally {
      isRareIssued = false;
    }
  };

  const run: SteadyLoad['run'] = async ({
    rate,
    until,
    maxTxs = Number.POSITIVE_INFINITY,
    onIssue,
    untilAccepted = askUntilAccepted,
    afterEach,
  }) => {
    let issued = 0;
    let due = performance.now();
    const runLane = async (lane: number): Promise<void> => {
      let last: Tx | undefined;
      for (;;) {
        const at = due;
        due = Math.max(due + 1000 / rate, performance.now() - 1000);
        if (Math.max(at, performance.now()) >= until || issued >= maxTxs) break;
        await Bun.sleep(Math.max(0, at - performance.now()));
        const number = issued++;
        if (number % rareEvery === 0 && !isRareIssued) await issueRare(number / rareEvery, addresses[lane] as string);
        else {
          // The next one spends its change.
          if (last !== undefined) await untilAccepted(last);
          last = lanes.next(lane);
          onIssue?.(last);
          await issue(last);
        }
        await afterEach?.(last);
      }
      if (last !== undefined) await untilAccepted(last);
    };
    await Promise.all(Array.from({ length: senders }, (_, at) => runLane(at + 1)));
    return issued;
  };
  return { addresses, asset, family, run };
}
