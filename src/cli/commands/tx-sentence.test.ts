import { expect, test } from 'bun:test';
import type { TxSummary } from '../../api/contract/answers.ts';
import { createScriptedClient, rpcError } from './scripted-client.fixture.ts';
import { createSentenceWriter, findTxLine, readTxLine } from './tx-sentence.ts';

const [alice, bob, carol] = ['local1alice234567890', 'local1bob234567890', 'local1carol234567890'];
const owner = (address: string) => ({ addresses: [address], threshold: 1 });
const summary = {
  ...{ action: 'send', from: [owner(alice)], fromCount: 1, to: [owner(bob)], toCount: 1, isToSelf: false, change: [] },
  ...{ amounts: [{ assetId: 'gold', amount: '150', type: 'secp256k1' }], amountCount: 1 },
} as unknown as TxSummary;
const describe = async (assetID: string) => (assetID === 'gold' ? { assetID, name: 'Gold', symbol: 'GLD', denomination: '2' } : undefined);
const account = (index: number, address: string) => ({ index, address: `X-${address}`, balance: '0' });

test('accounts, labels and other addresses have their names; a label comes before an account', async () => {
  const { client, asked } = createScriptedClient({
    'dev.accounts': { accounts: [account(0, alice), account(1, bob)] },
    'dev.labels': { labels: [{ name: 'the bank', address: `X-${bob}` }] },
    'info.getBlockchainID': rpcError('unknown chain'),
  });
  const write = createSentenceWriter(client, describe);
  expect(await write(summary)).toBe('account 0 sent 1.5 GLD to the bank');
  expect(await write({ ...summary, from: [owner(carol)] })).toBe('X-local1carol…567890 sent 1.5 GLD to the bank');
  expect(asked.filter((method) => method.startsWith('dev.'))).toEqual(['dev.accounts', 'dev.labels']);
});

test('the labels of an event take the place of those of the node', async () => {
  const { client, asked } = createScriptedClient({ 'dev.labels': { labels: [{ name: 'old', address: `X-${bob}` }] } });
  const write = createSentenceWriter(client, describe);
  expect(await write(summary, { [bob]: 'new' })).toBe('X-local1alice…567890 sent 1.5 GLD to new');
  expect(asked).not.toContain('dev.labels');
});

test('a symbol of the summary stays; an asset that is not known is shown with its ID; other chains have titles', async () => {
  const { client } = createScriptedClient({ 'info.getBlockchainID': ({ alias }) => ({ blockchainID: `id of ${String(alias)}` }) });
  const write = createSentenceWriter(client, describe);
  const amount = { assetId: 'silver', amount: '7', type: 'secp256k1' } as const;
  expect(await write({ ...summary, amounts: [{ ...amount, symbol: 'AG', denomination: 1 }] })).toContain('sent 0.7 AG to');
  expect(await write({ ...summary, amounts: [amount] })).toContain('sent 7 of silver to');
  const exported = async (otherChain: string) => await write({ ...summary, action: 'export', otherChain });
  expect(await exported('id of C')).toContain('C-Chain');
  expect(await exported('id of P')).toContain('P-Chain');
  expect(await exported('other')).toContain('other');
});

test('a transaction is looked for among accepted ones, then among waiting ones, then again, as it may just have been accepted', async () => {
  const line = { summary, blockNumber: '7' };
  const read = async (...answers: unknown[]) => {
    const paths: string[] = [];
    const found = await readTxLine(async (path) => {
      paths.push(path);
      return answers.shift();
    }, 'tx');
    return { found, paths };
  };
  const [accepted, waiting] = ['/transaction-summaries?txHashes=tx', '/transactions/tx/lifecycle'];
  expect(await read({ transactions: [line] })).toEqual({ found: { summary, height: '7' }, paths: [accepted] });
  expect(await read({ transactions: [] }, { transaction: { summary } })).toEqual({ found: { summary }, paths: [accepted, waiting] });
  expect(await read(undefined, {}, { transactions: [line] })).toEqual({
    found: { summary, height: '7' },
    paths: [accepted, waiting, accepted],
  });
  expect((await read(undefined, undefined, undefined)).found).toBeUndefined();
});

test('without the Data API a transaction has no line', async () => {
  expect(await findTxLine(createScriptedClient({}).client, 'tx')).toBeUndefined();
  const { client } = createScriptedClient({ '/transaction-summaries': { transactions: [{ summary, blockNumber: '7' }] } });
  expect(await findTxLine(client, 'tx')).toEqual({ summary, height: '7' });
});
