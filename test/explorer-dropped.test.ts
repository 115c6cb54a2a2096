import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type DevNode, devModes, startDevNode } from './dev-node.ts';
import { getFrom, type Json } from './explorer-client.ts';

/** Dropped and refused transactions: the checks route and the page. */
describe.each(devModes.map((mode) => [mode]))('dropped transactions, %s', (mode) => {
  let node: DevNode;
  let accounts: Json[];
  const checksOf = async (txID: string): Promise<Json> => (await getFrom(node.program(), `transactions/${txID}/checks`)).json;
  const page = async (txID: string): Promise<string> =>
    (await fetch(`${node.program().url}/tx/${txID}`, { headers: { accept: 'text/html' } })).text();
  const rpc = async (method: string, params: object): Promise<Json> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${node.program().url}/ext/bc/X`, { method: 'POST', headers, body })).json();
  };

  beforeAll(async () => {
    node = await startDevNode(mode, '--accounts=3');
    ({ accounts } = await node.dev('dev.accounts'));
  });
  afterAll(() => node.stop());

  test('an input that another transaction has spent', async () => {
    await node.dev('dev.snapshot', { name: 'before' });
    const { txID } = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '1 AVAX' });
    const { tx } = (await rpc('avm.getTx', { txID, encoding: 'hex' })).result;
    await node.dev('dev.revert', { name: 'before' });
    const { txID: winner } = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '2 AVAX' });
    const { error } = await rpc('avm.issueTx', { tx, encoding: 'hex' });
    const { checks, refusal, isIssuable, hex } = await checksOf(txID);
    // The answer if sent again is the one that was given.
    expect({ message: refusal.message, data: refusal.data }).toEqual({ message: error.message, data: error.data });
    expect(isIssuable).toBe(false);
    expect((await rpc('avm.issueTx', { tx: hex, encoding: 'hexnc' })).error).toEqual(error);
    const failed = checks.filter(({ result }: Json) => result === 'fail');
    expect(failed).toMatchObject([{ rule: 'utxo', path: 'inputs[0]', code: 'TX_UTXO_NOT_FOUND', values: { spentBy: winner } }]);
    const at = checks.indexOf(failed[0]);
    expect(new Set(checks.slice(0, at).map(({ result }: Json) => result))).toEqual(new Set(['pass']));
    expect(checks.at(-1)).toMatchObject({ rule: 'mempool', result: 'not-run' });

    const html = await page(txID);
    expect(html).toContain('Dropped: Transfer');
    expect(html).toContain('Input 0 was spent by another transaction');
    expect(html).toContain('The conflict');
    expect(html).toContain('accepted in block');
    expect(html).toContain(`href="/tx/${winner}"`);
    expect(html).toContain('TX_UTXO_NOT_FOUND');
    expect(html).toContain(hex);
  });

  test('after a revert: a refused one is still shown, and one that was in a block is not called mistyped', async () => {
    await node.dev('dev.snapshot', { name: 'earlier' });
    const { txID } = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '4 AVAX' });
    const { tx } = (await rpc('avm.getTx', { txID, encoding: 'hex' })).result;
    await node.dev('dev.revert', { name: 'earlier' });
    const open = (id: string) => fetch(`${node.program().url}/tx/${id}`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    const gone = await open(txID);
    expect([gone.status, gone.headers.get('location')]).toEqual([404, null]);
    const text = await gone.text();
    expect(text).toContain('If it was there before, a revert has removed it.');
    expect(text).not.toContain('case-sensitive');

    const { txID: winner } = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '5 AVAX' });
    const { error } = await rpc('avm.issueTx', { tx, encoding: 'hex' });
    await node.dev('dev.revert', { name: 'earlier' });
    const refused = await open(txID);
    expect([refused.status, refused.headers.get('location')]).toEqual([200, null]);
    const html = await refused.text();
    expect(html).toContain('Dropped: Transfer');
    expect(html).toContain('which is no longer in the chain. Its bytes can be sent again.');
    expect(html).not.toContain('The conflict');
    const { steps } = (await getFrom(node.program(), `transactions/${txID}/lifecycle`)).json;
    expect(steps).toMatchObject([{ step: 'refused', reason: { message: error.message, data: { spentBy: winner } } }]);
  });

  test('one that was taken out of the mempool can be sent again', async () => {
    await node.dev('dev.setAutomine', { enabled: false });
    const { txID } = await node.dev('dev.send', { from: 2, to: accounts[1].address, amount: '1 AVAX' });
    expect((await checksOf(txID)).isIssuable).toBe(true);
    await node.dev('dev.dropTx', { txID });
    const { isIssuable, hex, checks } = await checksOf(txID);
    expect(isIssuable).toBe(true);
    expect(new Set(checks.map(({ result }: Json) => result))).toEqual(new Set(['pass']));
    const html = await page(txID);
    expect(html).toContain('removed from the mempool');
    expect(html).toContain('Answer if sent again');
    // Another one takes its output; then only the mempool refuses it.
    const { txID: rival } = await node.dev('dev.send', { from: 2, to: accounts[1].address, amount: '3 AVAX' });
    expect((await checksOf(txID)).checks.at(-1)).toMatchObject({ rule: 'mempool', result: 'fail', code: 'MEMPOOL_CONFLICT' });
    expect(await page(txID)).toContain(`href="/tx/${rival}"`);
    await node.dev('dev.dropTx', { txID: rival });
    expect((await rpc('avm.issueTx', { tx: hex, encoding: 'hexnc' })).result.txID).toBe(txID);
    await node.dev('dev.mine', { blocks: 1 });
    expect((await checksOf(txID)).statusCode).toBe(404);
    expect(await page(txID)).toContain('accepted');
  });
});
