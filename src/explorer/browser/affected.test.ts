import { expect, test } from 'bun:test';
import type { PagePayload } from '../views/page-payload.ts';
import { isAffected } from './affected.ts';
import type { StreamEvent } from './stream-events.ts';

const pageOf = (view: string, data: object = {}, has: object = { dev: true }): PagePayload =>
  ({ view, data, context: { chain: { id: 'X' }, has } }) as unknown as PagePayload;

const spending = { inputs: [{ txID: 'spent' }], operations: null };
const operating = { inputs: null, operations: [{ inputIDs: [{ txID: 'operated' }] }, { inputIDs: null }] };
const txEvent = (txID: string, unsignedTx: object = spending, chainID = 'X') => ({
  kind: 'tx',
  chainID,
  txID,
  tx: { unsignedTx },
  summary: { text: 'local1alice' },
});

/** The kinds of events of a page's chain that make it load again. */
const kinds = ['block', 'tx', 'mempool', 'calls', 'health', 'time', 'settings', 'reverted', 'reset', 'heartbeat', 'lost'];
const affecting = (page: PagePayload, chainID = 'X'): string[] =>
  kinds.filter((kind) => {
    const ofChain = ['block', 'tx', 'mempool', 'reverted'].includes(kind);
    return isAffected(page, (kind === 'tx' ? txEvent('t', spending, chainID) : { kind, ...(ofChain && { chainID }) }) as StreamEvent);
  });

const always = ['reverted', 'reset'];
const strip = ['time', 'settings'];

test('each page is loaded again after the events that change it', () => {
  const expected: { readonly [view: string]: readonly string[] } = {
    dev: ['block', 'mempool'],
    webhooks: ['block'],
    calls: ['calls'],
    node: ['block', 'health'],
    blocks: ['block'],
    assets: ['block'],
    'cross-chain': ['block'],
    throughput: [],
    mempool: ['block', 'mempool'],
    home: [],
    message: [],
  };
  for (const [view, own] of Object.entries(expected)) {
    expect([view, affecting(pageOf(view))]).toEqual([view, kinds.filter((kind) => [...own, ...strip, ...always].includes(kind))]);
    expect([view, affecting(pageOf(view, {}, { dev: false }))]).toEqual([view, kinds.filter((kind) => [...own, ...always].includes(kind))]);
  }
});

test('events of another chain change no page', () => {
  expect(affecting(pageOf('blocks', {}, { dev: false }), 'other')).toEqual(['reset']);
});

test('only the last block waits for one after it', () => {
  const block = { kind: 'block', chainID: 'X' } as StreamEvent;
  expect([isAffected(pageOf('block', { hasNext: false }), block), isAffected(pageOf('block', { hasNext: true }), block)]).toEqual([
    true,
    false,
  ]);
  expect(isAffected(pageOf('block', { hasNext: false }), txEvent('t') as StreamEvent)).toBe(false);
});

test('a waiting transaction changes with its own events, an accepted one when its outputs are spent', () => {
  const waiting = pageOf('tx', { state: 'processing', id: 't' });
  const event = (kind: string, txID: string) => ({ ...txEvent(txID), kind }) as unknown as StreamEvent;
  expect([event('tx', 't'), event('mempool', 't'), event('tx', 'u'), event('block', 't')].map((one) => isAffected(waiting, one))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const accepted = (txHash: string) => pageOf('tx', { state: 'accepted', tx: { txHash } });
  expect(isAffected(accepted('spent'), txEvent('t') as StreamEvent)).toBe(true);
  expect(isAffected(accepted('operated'), txEvent('t', operating) as StreamEvent)).toBe(true);
  expect(isAffected(accepted('other'), txEvent('t', operating) as StreamEvent)).toBe(false);
  expect(isAffected(accepted('t'), event('mempool', 't'))).toBe(false);
});

test('outputs, graphs, addresses and assets change with transactions that name them', () => {
  const event = txEvent('t') as StreamEvent;
  const pages: readonly (readonly [PagePayload, boolean])[] = [
    [pageOf('output', { utxo: { creationTxHash: 'spent' } }), true],
    [pageOf('output', { utxo: { creationTxHash: 'other' } }), false],
    [pageOf('graph', { txs: [{ id: 'other' }, { id: 'spent' }] }), true],
    [pageOf('graph', { txs: [{ id: 'other' }] }), false],
    [pageOf('address', { address: 'local1alice' }), true],
    [pageOf('address', { address: 'local1bob' }), false],
    [pageOf('outputs', { address: 'local1alice' }), true],
    [pageOf('watch', { rows: [{ address: 'local1bob' }, { address: 'local1alice' }] }), true],
    [pageOf('watch', { rows: [] }), false],
    [pageOf('asset', { asset: { assetId: 'spent' } }), true],
    [pageOf('asset', { asset: { assetId: 'other' } }), false],
    [pageOf('holders', { asset: { assetId: 'spent' } }), true],
  ];
  for (const [page, expected] of pages) expect([page.view, page.data, isAffected(page, event)]).toEqual([page.view, page.data, expected]);
  const mempool = { kind: 'mempool', chainID: 'X', txID: 'local1alice', action: 'in' } as StreamEvent;
  expect(isAffected(pageOf('address', { address: 'local1alice' }), mempool)).toBe(false);
});
