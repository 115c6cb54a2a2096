import { expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { refId } from '../src/avm/tx/utxo.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { chainRoot, plainAddress } from './data-requests.ts';
import type { Client } from './http.ts';
import { cChain, pChain } from './local-chain.ts';
import {
  baseTx,
  createAsset,
  createWallet,
  type Draft,
  ewoq,
  ewoqGenesisUtxo,
  exportTx,
  localChainParams,
  ownedBy,
  signDraft,
  transfer,
} from './wallet-kit.ts';

/** Changes and reads a running chain in a test of reverts. The outputs that it can spend are a value, so a test can return to earlier ones. */
type RevertDriver = {
  /** Spendable outputs of the funded key. */
  utxos: readonly Utxo[];
  /** Issues a transaction without waiting for it, and without changing `utxos`. */
  readonly issue: (kind: number) => Promise<Tx>;
  /** Sends, creates an asset or exports; returns when the transaction is accepted. */
  readonly change: (kind: number) => Promise<Tx>;
  readonly dev: <T>(method: string, params?: unknown) => Promise<T>;
  /** A hash of many answers of all interfaces, which is equal for equal states. */
  readonly digest: () => Promise<string>;
};

/** The funded key, and the keys that it sends and exports to. */
export const wallet = createWallet('revert', { keys: [ewoq], count: 3 });
const avax = localChainParams.feeAsset;

export function createRevertDriver(client: Client): RevertDriver {
  let counter = 0;
  const draftOf = (kind: number, utxos: readonly Utxo[]): Draft => {
    const to = ownedBy([wallet.keys[1 + (counter % 3)] as (typeof wallet.keys)[number]]);
    const output = transfer(avax, BigInt(++counter), to);
    const funds = { utxos, memo: Buffer.from(`${counter} ${Math.random()}`) };
    if (kind % 5 === 1)
      return createAsset(wallet, funds, {
        name: `asset ${counter}`,
        symbol: 'AST',
        states: [{ fxIndex: 0, outputs: [transfer(avax, 7n, to).output] }],
      });
    if (kind % 5 === 2) return exportTx(wallet, funds, kind % 2 === 0 ? pChain : cChain, [output]);
    return baseTx(wallet, funds, [output]);
  };
  const driver: RevertDriver = {
    utxos: [ewoqGenesisUtxo],
    issue: async (kind) => {
      const tx = signDraft(draftOf(kind, driver.utxos));
      const { error } = await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
      expect(error).toBeUndefined();
      return tx;
    },
    change: async (kind) => {
      const tx = await driver.issue(kind);
      await waitAccepted(client, tx);
      const { created, spent } = effectsOf(tx);
      const spentIDs = spent.map(refId);
      const own = created.filter(({ output, assetID }) => assetID === avax && output.addresses[0] === ewoq.address);
      driver.utxos = [...driver.utxos.filter(({ id }) => !spentIDs.includes(id)), ...own];
      return tx;
    },
    dev: async (method, params = {}) => {
      const { result, error } = await client.call('/ext/dev', `dev.${method}`, params);
      if (error !== undefined) throw new Error(error.message);
      return result as never;
    },
    digest: async () => {
      const hash = createHash('sha256');
      for (const text of await readAnswers(client)) hash.update(text);
      return hash.digest('hex');
    },
  };
  return driver;
}

async function waitAccepted(client: Client, { id }: Tx): Promise<void> {
  const until = performance.now() + 20_000;
  for (;;) {
    const { result } = await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(id) });
    if ((result as unknown as { status: string }).status === 'Accepted') return;
    if (performance.now() > until) throw new Error(`${idText(id)} is not accepted`);
    await Bun.sleep(1);
  }
}

/** Answers of the Node RPC, the Data API and the Metrics API that do not depend on the clock, without page tokens. */
async function readAnswers(client: Client): Promise<string[]> {
  const call = async (method: string, params: unknown) => JSON.stringify((await client.call('/ext/bc/X', method, params)).result ?? null);
  const get = async (path: string) => {
    const { status, text } = await client.send('GET', path);
    expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
    // The Data API names the node itself as the builder of its blocks.
    return text.replace(/"nextPageToken":"[^"]*"/, '').replace(/NodeID-\w+/g, 'NodeID');
  };
  const { height } = JSON.parse(await call('avm.getHeight', {})) as { height: string };
  const answers = [height];
  for (let at = Math.max(0, Number(height) - 3); at <= Number(height); at++)
    answers.push(await call('avm.getBlockByHeight', { height: String(at), encoding: 'hex' }));
  for (const key of wallet.keys) {
    const address = plainAddress(key);
    answers.push(await call('avm.getUTXOs', { addresses: [`X-${address}`], limit: 1024 }));
    answers.push(await call('avm.getAllBalances', { address: `X-${address}` }));
    for (const path of ['balances', 'utxos', 'transactions']) answers.push(await get(`${chainRoot}/${path}?addresses=${address}`));
  }
  answers.push(await get(`${chainRoot}/blocks`));
  const range = 'startTimestamp=1600000000&endTimestamp=2000000000&timeInterval=day';
  for (const metric of ['txCount', 'cumulativeTxCount', 'activeAddresses', 'feesPaid', 'maxTps'])
    answers.push(await get(`/v2/chains/X/metrics/${metric}?${range}`));
  return answers;
}
