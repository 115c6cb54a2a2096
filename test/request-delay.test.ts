import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Worker } from 'node:worker_threads';
import { maxBatchResponse } from '../src/api/rpc/limits.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { areFiguresRecorded, recordFigure } from './figure.ts';
import type { ClientResponse } from './http.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/**
 * Expensive requests: each is answered, and within its limits. How long a cheap call on another connection waits meanwhile is a figure for the
 * bench, which needs a larger chain.
 */

/** Milliseconds. The goal is 50 ms on an idle core. */
const limit = 150;

const outputsPerTx = 790;
const largeTxs = areFiguresRecorded ? 100 : 6;
const outputs = largeTxs * outputsPerTx;
const total = `${outputs}000000`;

const wallet = createWallet('delay', { keys: [ewoq], count: 600 });
const owner = wallet.keys[1]!;
const formatAddress = createAddressFormatter('X', 'local');
const address = formatAddress(owner.address);

let node: Program;
let probe: Worker | undefined;
const txIDs: string[] = [];

/** The longest wait since the last call, in milliseconds. */
const longestWait = (): Promise<number> =>
  new Promise((resolve) => {
    probe?.once('message', resolve);
    probe?.postMessage('tell');
  });

const isAccepted = async (tx: Tx): Promise<boolean> => {
  const { result } = await node.client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) });
  return (result as { status?: string } | undefined)?.status === 'Accepted';
};

async function issue(tx: Tx): Promise<void> {
  const { error } = await node.client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  expect(error).toBeUndefined();
  expect(await eventually(() => isAccepted(tx), Boolean, 60_000)).toBe(true);
}

const findOutput = (tx: Tx, isWanted: (addresses: readonly string[]) => boolean): Utxo => {
  const at = tx.unsigned.outputs.findIndex(({ output }) => isWanted(output.addresses));
  const { assetID, output } = tx.unsigned.outputs[at]!;
  return makeUtxo(tx.id, at, assetID, output);
};

const isChange = (addresses: readonly string[]) => addresses.length === 1 && addresses[0] === ewoq.address;

/** Each output has its own locktime, so that there are as many stored sums as outputs. */
beforeAll(async () => {
  node = await startProgram();
  for (let made = 0; made < outputs; made += outputsPerTx) {
    const tx = createLargeTx(owner, made);
    await issue(tx);
    txIDs.push(idText(tx.id));
  }
  for (let made = 0; made < 3; made++) {
    const tx = signDraft(baseTx(wallet, { utxos: [changeUtxo] }, Array(5).fill(multiOwnerOutput(5_000_000n))));
    await issue(tx);
    changeUtxo = findOutput(tx, isChange);
    for (const [i, { assetID, output }] of tx.unsigned.outputs.entries())
      if (output.addresses.length === signatures) multiOwnerUtxos.push(makeUtxo(tx.id, i, assetID, output));
  }
  if (!areFiguresRecorded) return;
  probe = new Worker(new URL('./delay-probe.ts', import.meta.url), { workerData: { port: node.port } });
  expect(await eventually(longestWait, (wait) => wait > 0)).toBeGreaterThan(0);
});

/** The change of the last transaction; it pays for the next one. */
let changeUtxo = ewoqGenesisUtxo;

/** Creates a transaction of nearly the maximum size, to be issued next. Each of its outputs has its own lock time. */
function createLargeTx(to: Key, firstLocktime: number): Tx {
  const parts = Array.from({ length: outputsPerTx }, (_, i) =>
    transfer(localChainParams.feeAsset, 1_000_000n, ownedBy([to], 1, BigInt(firstLocktime + i))),
  );
  const tx = signDraft(baseTx(wallet, { utxos: [changeUtxo] }, parts));
  changeUtxo = findOutput(tx, isChange);
  return tx;
}

const signatures = 500;

/** Unspent outputs that need 500 signatures. */
const multiOwnerUtxos: Utxo[] = [];

const multiOwnerOutput = (amount: bigint) =>
  transfer(localChainParams.feeAsset, amount, ownedBy(wallet.keys.slice(2, 2 + signatures), signatures));

const spendMultiOwner = (parts: Parameters<typeof baseTx>[2] = []): Tx =>
  signDraft(baseTx(wallet, { utxos: [multiOwnerUtxos.pop()!] }, parts));

async function issueAndAccept(method: 'avm.issueTx' | 'wallet.issueTx', ...txs: Tx[]): Promise<ClientResponse> {
  const path = method === 'avm.issueTx' ? '/ext/bc/X' : '/ext/bc/X/wallet';
  let response: ClientResponse | undefined;
  for (const tx of txs) response = await post(call(method, { tx: formatHex('hex', tx.bytes), encoding: 'hex' }), path);
  expect(await eventually(() => isAccepted(txs.at(-1)!), Boolean, 60_000)).toBe(true);
  return response!;
}

afterAll(async () => {
  await probe?.terminate();
  await node.stop();
});

const post = (body: string, path = '/ext/bc/X') => node.client.send('POST', path, { 'content-type': 'application/json' }, body);

const call = (method: string, params: unknown, id: unknown = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params });

const batch = (method: string, params: (i: number) => unknown) =>
  `[${Array.from({ length: 100 }, (_, i) => call(method, params(i), i)).join(',')}]`;

/** A request with members in raw JSON. */
const rawRequest = (members: { readonly id?: string; readonly method?: string; readonly params?: string }) =>
  `{"jsonrpc":"2.0","id":${members.id ?? 1},"method":${members.method ?? '"avm.getHeight"'},"params":${members.params ?? '{}'}}`;

/** Repeats the text to nearly the maximum body size. */
const repeatToLimit = (unit: string): string => unit.repeat(Math.floor(1_000_000 / unit.length));

const dataPath = '/v1/networks/local/blockchains/x-chain';

const getData = (path: string) => node.client.send('GET', `${dataPath}/${path}`);

/** `round` makes the requests of a case differ: the response cache would answer a repeated one at once. */
type Case = { readonly ask: (round: number) => Promise<ClientResponse>; readonly expected: RegExp };

const errorsAre = (message: string) => new RegExp(`"error":\\{"code":-32\\d+,"message":"${message}`);

const cases: Record<string, Case> = {
  'a balance of many outputs': {
    ask: () => post(call('avm.getBalance', { address, assetID: 'AVAX' })),
    expected: new RegExp(`"balance":"${total}","utxoIDs":\\[\\{`),
  },
  'all balances of many outputs, each with its own lock time': {
    ask: () => post(call('avm.getAllBalances', { address })),
    expected: new RegExp(`"balances":\\[\\{"asset":"AVAX","balance":"${total}"\\}\\]`),
  },
  'a page of UTXOs of many addresses': {
    ask: () => post(call('avm.getUTXOs', { addresses: wallet.keys.map((key) => formatAddress(key.address)), limit: 1024 })),
    expected: /"numFetched":"1024"/,
  },
  'a large transaction as JSON': { ask: () => post(call('avm.getTx', { txID: txIDs[0], encoding: 'json' })), expected: /"unsignedTx"/ },
  'a batch of large blocks': {
    ask: () => post(batch('avm.getBlockByHeight', (i) => ({ height: (i % (largeTxs / 2)) + 1, encoding: 'json' }))),
    expected: /RPC_BATCH_ANSWER_TOO_LARGE/,
  },
  'a batch of large transactions': {
    ask: () => post(batch('avm.getTx', (i) => ({ txID: txIDs[i % txIDs.length], encoding: 'json' }))),
    expected: /RPC_BATCH_ANSWER_TOO_LARGE/,
  },
  'a batch of pages of UTXOs': {
    ask: () => post(batch('avm.getUTXOs', () => ({ addresses: wallet.keys.slice(0, 150).map((key) => formatAddress(key.address)) }))),
    expected: /RPC_BATCH_ANSWER_TOO_LARGE/,
  },
  'a batch of balances': {
    ask: () => post(batch('avm.getBalance', () => ({ address, assetID: 'AVAX' }))),
    expected: /RPC_BATCH_ANSWER_TOO_LARGE/,
  },
  'a batch of very many values': { ask: () => post(`[${repeatToLimit('1,')}1]`), expected: errorsAre('batch has more than') },
  'a method name of escapes': {
    ask: () => post(rawRequest({ method: `"${repeatToLimit('\\u0000')}"` })),
    expected: errorsAre('method is longer'),
  },
  'a method name of dots': { ask: () => post(rawRequest({ method: `"${repeatToLimit('.')}"` })), expected: errorsAre('method is longer') },
  'an id of escapes': { ask: () => post(rawRequest({ id: `"${repeatToLimit('<')}"` })), expected: errorsAre('id is longer') },
  'an id of many values': {
    ask: () => post(rawRequest({ id: `[ ${repeatToLimit('1 ,')}1]` })),
    expected: errorsAre('the request has more than'),
  },
  'deep parameters': {
    ask: () => post(rawRequest({ params: repeatToLimit('[') })),
    expected: errorsAre("invalid character '\\[' exceeded max depth"),
  },
  'many parameters': {
    ask: () => post(rawRequest({ params: `{${repeatToLimit('"\\u0061\\u0062":1,')}"a":1}` })),
    expected: errorsAre('an object of the request has more than'),
  },
  'a long text parameter': {
    ask: () => post(rawRequest({ method: '"avm.getBalance"', params: `{"address":"X-${'\\u0001'.repeat(150_000)}"}` })),
    expected: errorsAre("couldn't unmarshal an argument"),
  },
  'a long number': {
    ask: () => post(rawRequest({ method: '"avm.getBlockByHeight"', params: `{"height":"${'0'.repeat(1_000_000)}1x"}` })),
    expected: errorsAre("couldn't unmarshal an argument"),
  },
  'many addresses': {
    ask: () => post(rawRequest({ method: '"avm.getUTXOs"', params: `{"addresses":[${'"a",'.repeat(120_000)}""]}` })),
    expected: errorsAre("couldn't unmarshal an argument"),
  },
  'parameters repeated in an error': {
    ask: () => post(`{"jsonrpc":"1.0","id":1,"method":"a","params":[ ${'"<" ,'.repeat(100_000)}1]}`),
    expected: errorsAre('jsonrpc must be 2.0'),
  },
  'a transaction that is too long': {
    ask: () => post(rawRequest({ method: '"avm.issueTx"', params: `{"tx":"0x${'00'.repeat(450_000)}","encoding":"hexnc"}` })),
    expected: errorsAre('byte array exceeds maximum length'),
  },
  'a transaction of 500 signatures': { ask: () => issueAndAccept('avm.issueTx', spendMultiOwner()), expected: /"txID"/ },
  'two wallet transactions of 500 signatures, the second spends an output of the first': {
    ask: () => {
      const parent = spendMultiOwner([multiOwnerOutput(3_000_000n)]);
      const utxo = findOutput(parent, ({ length }) => length === signatures);
      return issueAndAccept('wallet.issueTx', parent, signDraft(baseTx(wallet, { utxos: [utxo] }, [])));
    },
    expected: /"txID"/,
  },
  'a transaction of 790 outputs, issued and accepted': {
    ask: (round) => issueAndAccept('avm.issueTx', createLargeTx(wallet.keys[600]!, round * outputsPerTx)),
    expected: /"txID"/,
  },
  'a page of UTXOs of the Data API': {
    ask: (round) => getData(`utxos?addresses=${address}&pageSize=${100 - round}&sortBy=amount`),
    expected: /"utxos":\[\{/,
  },
  'a large page of UTXOs of many addresses of the Data API': {
    ask: (round) => {
      const addresses = wallet.keys.map((key) => formatAddress(key.address)).join(',');
      return post(JSON.stringify({ addresses }), `${dataPath}/utxos?pageSize=${1024 - round}&sortBy=amount`);
    },
    expected: /"utxos":\[\{/,
  },
  'a page of large transactions of the Data API': {
    ask: (round) => getData(`transactions?pageSize=${100 - round}&addresses=${address}`),
    expected: /"transactions":\[\{/,
  },
  'balances of many lock times of the Data API': {
    ask: (round) => getData(`balances?addresses=${address},${formatAddress(wallet.keys[2 + round]!.address)}`),
    expected: new RegExp(`"amount":"${total}","utxoCount":${outputs}\\b`),
  },
};

describe('the answer to', () => {
  for (const [name, { ask, expected }] of Object.entries(cases))
    test(name, async () => {
      const { status, text } = await ask(0);
      expect(status).toBe(200);
      expect(text.slice(0, 300) + text.slice(-300)).toMatch(expected);
      expect(text.length).toBeLessThan(maxBatchResponse * 1.5);
      if (!areFiguresRecorded) return;
      // A busy machine causes delays now and then; a blocked event loop causes one every time, so the minimum counts.
      let shortest = Number.POSITIVE_INFINITY;
      for (let round = 1; round < 6 && shortest > limit / 4; round++) {
        await longestWait();
        await ask(round);
        shortest = Math.min(shortest, await longestWait());
      }
      recordFigure({ name: `other requests during ${name}`, unit: 'ms', value: shortest, limit });
    });
});
