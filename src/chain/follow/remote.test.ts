import { describe, expect, test } from 'bun:test';
import { makeBlock } from '../../avm/tx/block.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { type Id, idOf, idText, zeroId } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { connectRemote, type Remote } from './remote.ts';
import { withDeadline, withRetries } from './retrying-remote.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

type ReceivedRequest = { readonly path: string; readonly id: number; readonly method: string; readonly params: Record<string, unknown> };

/** A remote over a fake node whose responses the test gives. */
function fakeNode(respond: (received: ReceivedRequest, request: TransportRequest) => TransportResponse | Promise<TransportResponse>) {
  const { timing, until } = createVirtualTiming();
  const requests: ReceivedRequest[] = [];
  const transport = async (request: TransportRequest) => {
    const { id, method, params } = JSON.parse(request.body) as ReceivedRequest;
    const one = { path: request.url.slice('http://node'.length), id, method, params };
    requests.push(one);
    return respond(one, request);
  };
  return { remote: connectRemote('http://node/', { hrp: 'local', transport, timing }), requests, timing, until };
}

const ok = (text: string): TransportResponse => ({ status: 200, text });
const result = ({ id }: ReceivedRequest, value: unknown): TransportResponse => ok(JSON.stringify({ jsonrpc: '2.0', result: value, id }));
const refusal = ({ id }: ReceivedRequest, message: string): TransportResponse =>
  ok(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message, data: null }, id }));

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fine',
    (error) => (error instanceof Fault ? error.fault.code : String(error)),
  );

const tx = makeTx({ kind: 'BaseTx', networkID: 12345, blockchainID: zeroId, outputs: [], inputs: [], memo: Buffer.from('remote') }, []);
const block = makeBlock({ parentID: zeroId, height: 7n, time: 5n, txs: [tx] });
const address = '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c' as Parameters<Remote['utxos']>[0]['address'];
const utxo = makeUtxo(tx.id, 0, zeroId, {
  kind: 'secp256k1fx.TransferOutput',
  amount: 1n,
  locktime: 0n,
  threshold: 1,
  addresses: [address],
});

test('requests have the right path, method and params, and valid responses are parsed', async () => {
  const answers: Record<string, unknown> = {
    'info.getNetworkID': { networkID: '12345' },
    'info.getBlockchainID': { blockchainID: idText(tx.id) },
    'avm.getHeight': { height: '18446744073709551615' },
    'avm.getBlockByHeight': { block: formatHex('hex', block.bytes), encoding: 'hex' },
    'avm.getTx': { tx: formatHex('hex', tx.bytes), encoding: 'hex' },
    'avm.getUTXOs': { numFetched: '1', utxos: [formatHex('hex', utxo.bytes)], endIndex: { address: 'X-a', utxo: 'b' }, encoding: 'hex' },
    'platform.getTx': { tx: formatHex('hex', tx.bytes), encoding: 'hex' },
    'avax.getAtomicTx': { tx: formatHex('hex', tx.bytes), encoding: 'hex', blockHeight: '3' },
    'avm.issueTx': { txID: idText(tx.id) },
    'wallet.issueTx': { txID: idText(tx.id) },
  };
  const { remote, requests } = fakeNode((one) => result(one, answers[one.method]));
  expect(await remote.networkID()).toBe(12345);
  expect(await remote.blockchainID('X')).toBe(tx.id);
  expect(await remote.height()).toBe(18446744073709551615n);
  expect((await remote.blockAt(7n))?.id).toBe(block.id);
  expect((await remote.tx(tx.id))?.id).toBe(tx.id);
  expect(await remote.utxos({ list: 'X', address, after: undefined })).toEqual({ utxos: [utxo], next: undefined });
  expect(await remote.foreignTx('P', tx.id)).toEqual(tx.bytes);
  expect(await remote.foreignTx('C', tx.id)).toEqual(tx.bytes);
  expect([await remote.issueTx(tx.bytes), await remote.issueWalletTx(tx.bytes)]).toEqual([tx.id, tx.id]);
  expect(requests.map(({ path, method }) => `${path} ${method}`)).toEqual([
    '/ext/info info.getNetworkID',
    '/ext/info info.getBlockchainID',
    '/ext/bc/X avm.getHeight',
    '/ext/bc/X avm.getBlockByHeight',
    '/ext/bc/X avm.getTx',
    '/ext/bc/X avm.getUTXOs',
    '/ext/bc/P platform.getTx',
    '/ext/bc/C/avax avax.getAtomicTx',
    '/ext/bc/X avm.issueTx',
    '/ext/bc/X/wallet wallet.issueTx',
  ]);
  expect(requests[3]?.params).toEqual({ height: '7', encoding: 'hex' });
});

test('a transaction that waits in the mempool of the C-Chain, or that it found invalid, is none: only an accepted one has the height of a block', async () => {
  const { remote } = fakeNode((one) => result(one, { tx: formatHex('hex', tx.bytes), encoding: 'hex' }));
  expect(await remote.foreignTx('C', tx.id)).toBeUndefined();
  expect(await remote.foreignTx('P', tx.id)).toEqual(tx.bytes);
});

test('a full page returns a cursor for the next one, on X, P and C', async () => {
  const page = Array.from({ length: 1024 }, () => formatHex('hex', utxo.bytes));
  const end = { address: 'X-local1', utxo: 'somewhere' };
  const { remote, requests } = fakeNode((one) => result(one, { utxos: page, endIndex: end }));
  expect((await remote.utxos({ list: 'X', address, after: undefined })).next).toEqual(end);
  await remote.utxos({ list: 'X to P', address, after: end });
  await remote.utxos({ list: 'X to C', address, after: end });
  expect(
    requests.map(({ path, params }) => [path, (params.addresses as string[])[0]?.slice(0, 8), params.sourceChain, params.startIndex]),
  ).toEqual([
    ['/ext/bc/X', 'X-local1', undefined, undefined],
    ['/ext/bc/P', 'P-local1', 'X', end],
    ['/ext/bc/C/avax', 'C-local1', 'X', end],
  ]);
});

describe('invalid responses are FOLLOW_NONSENSE', () => {
  const good = formatHex('hex', block.bytes);
  const invalid: readonly [string, (one: ReceivedRequest) => TransportResponse][] = [
    ['not JSON', () => ok('<html>')],
    ['an empty body', () => ok('')],
    ['a list', () => ok('[]')],
    ['a response to another request', ({ id }) => ok(`{"jsonrpc":"2.0","result":{"block":"${good}"},"id":${id + 1}}`)],
    ['another version', ({ id }) => ok(`{"jsonrpc":"1.0","result":{"block":"${good}"},"id":${id}}`)],
    ['neither result nor error', ({ id }) => ok(`{"jsonrpc":"2.0","id":${id}}`)],
    ['an error without code and message', ({ id }) => ok(`{"jsonrpc":"2.0","error":{},"id":${id}}`)],
    ['a list as result', (one) => result(one, [])],
    ['no block', (one) => result(one, {})],
    ['a number as block', (one) => result(one, { block: 7 })],
    ['a block as JSON', (one) => result(one, { block: {} })],
    ['not hex', (one) => result(one, { block: 'hello' })],
    ['a wrong checksum', (one) => result(one, { block: `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}` })],
    ['a truncated block', (one) => result(one, { block: formatHex('hex', block.bytes.subarray(0, 60)) })],
    ['trailing bytes', (one) => result(one, { block: formatHex('hex', Buffer.concat([block.bytes, Buffer.of(0)])) })],
    ['another height', (one) => result(one, { block: formatHex('hex', makeBlock({ ...block, height: 8n }).bytes) })],
    ['a body over the size limit', () => ({ status: 200, text: undefined })],
  ];
  for (const [what, respond] of invalid)
    test(what, async () => expect(await codeOf(fakeNode(respond).remote.blockAt(7n))).toBe('FOLLOW_NONSENSE'));

  test('other fields', async () => {
    const remoteReturning = (value: unknown) => fakeNode((one) => result(one, value)).remote;
    const other = idText(idOf(Buffer.of(1)));
    for (const networkID of ['', '-1', '4294967296', '1e3', ' 1', 12345, null])
      expect(await codeOf(remoteReturning({ networkID }).networkID())).toBe('FOLLOW_NONSENSE');
    for (const height of ['18446744073709551616', '0x1', '1.0', 1])
      expect(await codeOf(remoteReturning({ height }).height())).toBe('FOLLOW_NONSENSE');
    for (const blockchainID of ['', 'X', other.slice(1), 5])
      expect(await codeOf(remoteReturning({ blockchainID }).blockchainID('X'))).toBe('FOLLOW_NONSENSE');
    const wrong = { tx: formatHex('hex', tx.bytes) };
    expect(await codeOf(remoteReturning(wrong).tx(idOf(Buffer.of(1))))).toBe('FOLLOW_NONSENSE');
    expect(await remoteReturning(wrong).tx(zeroId)).toBeUndefined();
    expect(await codeOf(remoteReturning(wrong).foreignTx('P', zeroId))).toBe('FOLLOW_NONSENSE');
    expect(await codeOf(remoteReturning({ txID: other }).issueTx(tx.bytes))).toBe('FOLLOW_NONSENSE');
    const page = (utxos: unknown, endIndex?: unknown) =>
      codeOf(remoteReturning({ utxos, endIndex }).utxos({ list: 'X', address, after: undefined }));
    expect(await page('none')).toBe('FOLLOW_NONSENSE');
    expect(await page([5])).toBe('FOLLOW_NONSENSE');
    expect(await page(Array(1025).fill(formatHex('hex', utxo.bytes)))).toBe('FOLLOW_NONSENSE');
    expect(await page(Array(1024).fill(formatHex('hex', utxo.bytes)), { address: 5 })).toBe('FOLLOW_NONSENSE');
  });
});

describe('missing responses are FOLLOW_SILENT', () => {
  for (const status of [404, 429, 500, 502, 503])
    test(`HTTP ${status}`, async () =>
      expect(await codeOf(fakeNode(() => ({ status, text: 'no' })).remote.height())).toBe('FOLLOW_SILENT'));

  test('a failed connection is named in one way, whatever a runtime calls it', async () => {
    const causes: [unknown, string][] = [
      [Object.assign(new Error('ECONNREFUSED: Unable to connect.'), { code: 'ECONNREFUSED' }), 'connection refused'],
      [new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } }), 'unknown host'],
      [new Error('out of sockets'), 'out of sockets'],
    ];
    for (const [cause, why] of causes) {
      const { remote } = fakeNode(() => Promise.reject(cause));
      expect(await remote.networkID().catch((error) => error.fault.why)).toBe(why);
    }
  });

  test('no connection', async () => {
    const { remote } = fakeNode(() => Promise.reject(new Error('refused')));
    expect(await codeOf(remote.height())).toBe('FOLLOW_SILENT');
  });

  test('a timeout aborts the request', async () => {
    let given: AbortSignal | undefined;
    const { remote, until } = fakeNode(
      (_, { signal }) =>
        new Promise((_, reject) => {
          given = signal;
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    );
    let code: string | undefined;
    codeOf(remote.height()).then((ended) => {
      code = ended;
    });
    await until(() => code !== undefined, 20_000);
    expect([code, given?.aborted]).toEqual(['FOLLOW_SILENT', true]);
  });

  test('close aborts pending requests and rejects later ones', async () => {
    const { remote, requests } = fakeNode(
      (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const pending = codeOf(remote.height());
    remote.close();
    expect(await pending).toBe('FOLLOW_STOPPED');
    expect(await codeOf(remote.height())).toBe('FOLLOW_STOPPED');
    expect(requests).toHaveLength(1);
  });
});

test('"not found" errors give undefined; other errors are FOLLOW_REFUSED with the node\'s message', async () => {
  const { remote } = fakeNode((one) =>
    refusal(
      one,
      one.method === 'avm.issueTx'
        ? 'tx has wrong network ID'
        : one.method === 'avax.getAtomicTx'
          ? 'could not find tx abc'
          : "couldn't get it: not found",
    ),
  );
  expect(await remote.blockAt(9n)).toBeUndefined();
  expect(await remote.tx(zeroId)).toBeUndefined();
  expect(await remote.foreignTx('P', zeroId)).toBeUndefined();
  expect(await remote.foreignTx('C', zeroId)).toBeUndefined();
  const refused = await remote.issueTx(tx.bytes).then(
    () => undefined,
    (error) => error as Fault<{ code: string }>,
  );
  expect([refused?.fault.code, refused?.message]).toEqual(['FOLLOW_REFUSED', 'tx has wrong network ID']);
});

test('withRetries retries missing and invalid responses a few times, but not a refusal', async () => {
  const script = [() => ({ status: 503, text: '' }), () => ok('?'), (one: ReceivedRequest) => result(one, { height: '5' })];
  const { remote, requests, timing, until } = fakeNode((one) =>
    (script.shift() ?? ((again: ReceivedRequest) => refusal(again, 'no')))(one),
  );
  const retrying = withRetries(remote, { timing, signal: new AbortController().signal });
  const outcomes: unknown[] = [];
  const note = (work: Promise<unknown>) =>
    void work.then(
      (value) => outcomes.push(value),
      (error) => outcomes.push(error.fault.code),
    );
  note(retrying.height());
  await until(() => outcomes.length === 1);
  note(retrying.height());
  await until(() => outcomes.length === 2);
  expect(outcomes).toEqual([5n, 'FOLLOW_REFUSED']);
  expect(requests).toHaveLength(4);
  const dead = fakeNode(() => ({ status: 503, text: '' }));
  note(withRetries(dead.remote, { timing: dead.timing, signal: new AbortController().signal }).tx(tx.id as Id));
  await dead.until(() => outcomes.length === 3);
  expect([outcomes[2], dead.requests.length]).toEqual(['FOLLOW_SILENT', 3]);
});

test('withDeadline ends within 5 s for a node that hangs and for one that is down', async () => {
  const hang = (_: ReceivedRequest, { signal }: TransportRequest): Promise<TransportResponse> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  const down = (): TransportResponse => ({ status: 503, text: '' });
  for (const [respond, tries] of [
    [hang, 1],
    [down, 3],
  ] as const) {
    const { remote, requests, timing, until } = fakeNode(respond);
    const retrying = withDeadline(remote, { timing, signal: new AbortController().signal });
    const outcomes: string[] = [];
    const note = async (work: Promise<unknown>) => void outcomes.push(await codeOf(work));
    for (const ask of [() => retrying.issueTx(tx.bytes), () => retrying.issueWalletTx(tx.bytes), () => retrying.txStatus(tx.id)]) {
      const [began, before, answered] = [timing.now(), requests.length, outcomes.length];
      void note(ask());
      await until(() => outcomes.length > answered);
      expect(timing.now() - began).toBeLessThan(5000);
      expect(requests.length - before).toBe(tries);
    }
    expect(new Set(outcomes)).toEqual(new Set(['FOLLOW_SILENT']));
  }
});

test('the error message of a redirect mentions that redirects are not followed', async () => {
  const { remote } = fakeNode(() => ({ status: 308, text: '' }));
  const error = await remote.height().catch((cause) => cause as Error);
  expect((error as Error).message).toContain('redirects are not followed');
});
