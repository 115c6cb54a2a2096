import { describe, expect, test } from 'bun:test';
import { accountName, chainPath, chainTitle, keptName, ownerName, type PageContext, shortName } from './page-context.ts';
import { search } from './search.ts';
import { createTestSource, testChainPath, testContext } from './test-source.fixture.ts';

const address = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
const context = {
  ...testContext,
  chain: { slug: 'x', id: 'idX', alias: 'X', title: 'X-Chain' },
  otherChains: [{ id: 'idP', alias: 'P' }],
  accountNames: { [address]: 'account 0', long: 'n'.repeat(21), fits: 'n'.repeat(20) },
  keptNames: { [address]: 'mine', kept: 'my friend' },
  has: { dev: true, info: true },
} as unknown as PageContext;

describe('names on a page', () => {
  test('that of an account or a label comes before the one that the reader keeps; the chain before an address does not matter', () => {
    expect([accountName(context, address), accountName(context, `P-${address}`), accountName(context, 'X-kept')]).toEqual([
      'account 0',
      'account 0',
      'my friend',
    ]);
    expect([keptName(context, `X-${address}`), keptName(context, 'none'), accountName(context, 'none')]).toEqual([
      'mine',
      undefined,
      undefined,
    ]);
    expect([accountName(testContext, address), keptName(testContext, address)]).toEqual([undefined, undefined]);
  });

  test('are cut to twenty characters in pictures, where others have a shortened address', () => {
    expect([shortName(context, 'fits'), shortName(context, 'long'), shortName(context, 'none')]).toEqual([
      'n'.repeat(20),
      `${'n'.repeat(19)}…`,
      undefined,
    ]);
    expect([ownerName(context, address), ownerName({ ...context, accountNames: {}, keptNames: {} }, address)]).toEqual([
      'account 0',
      'X-local18jma8…00z96u',
    ]);
  });

  test('of chains', () => {
    expect([chainTitle(context, 'idX'), chainTitle(context, 'idP'), chainTitle(context, 'other')]).toEqual(['X-Chain', 'P-Chain', 'other']);
    expect(chainPath(testContext)).toBe(testChainPath);
  });
});

describe('a search', () => {
  const searchWith = (text: string, answer: object, results: { readonly [method: string]: unknown } = {}, changes: object = {}) => {
    const { source, asked } = createTestSource((path) => (path.startsWith(`${testChainPath}/search?q=`) ? answer : undefined), results);
    return search(source, { ...context, ...changes }, text).then((found) => ({ ...found, asked }));
  };
  const row = (kind: string, id: string, more: object = {}) => ({ kind, id, ...more });

  test('leads to the page of each kind of match', async () => {
    const results = ['block', 'transaction', 'signedTransaction', 'asset', 'utxo'].map((kind) => row(kind, 'a/b'));
    const { matches } = await searchWith('a/b', { results: [...results, row('address', address), row('address', `P-${address}`)] });
    expect(matches.map(({ href }) => href)).toEqual([
      ...['/block/a%2Fb', '/tx/a%2Fb', '/tx/a%2Fb', '/asset/a%2Fb', '/output/a%2Fb'],
      ...[`/address/X-${address}`, `/address/P-${address}`],
    ]);
  });

  test('says what a match is', async () => {
    const refusal = { message: 'spent' };
    const results = [
      row('asset', '1', { title: 'Gold', isPartial: true }),
      row('transaction', '2', { status: 'Accepted' }),
      row('signedTransaction', '3', { isIssuable: true }),
      row('signedTransaction', '4', { isIssuable: true, refusal }),
      row('signedTransaction', '5', { isIssuable: false }),
    ];
    const { matches, more, nearest } = await searchWith('x', { results, moreResults: 3, didYouMean: ['a b'] });
    expect(matches.map(({ note, isPartial }) => [note, isPartial])).toEqual([
      ['asset, Gold', true],
      ['transaction, Accepted', false],
      ['signed transaction, could be issued now', false],
      ['signed transaction, would be refused: spent', false],
      ['signed transaction', false],
    ]);
    expect([more, nearest]).toEqual([3, [{ href: '/search?q=a%20b', word: 'a b', note: 'one character differs', isPartial: false }]]);
  });

  test('finds a node only if it is this one or a peer, and if the server can tell', async () => {
    const found = async (results: { readonly [method: string]: unknown }, has: object = { info: true, dev: false }) =>
      (await searchWith('n', { results: [row('node', 'NodeID-A')] }, results, { has })).matches.map(({ href }) => href);
    const own = { 'info.getNodeID': { nodeID: 'NodeID-A' }, 'info.peers': { peers: [] } };
    const peer = { 'info.getNodeID': { nodeID: 'NodeID-B' }, 'info.peers': { peers: [{ nodeID: 'NodeID-C' }, { nodeID: 'NodeID-A' }] } };
    const none = { 'info.getNodeID': { nodeID: 'NodeID-B' }, 'info.peers': { peers: [{ nodeID: 'NodeID-C' }] } };
    expect([await found(own), await found(peer), await found(none), await found({})]).toEqual([
      ['/node#NodeID-A'],
      ['/node#NodeID-A'],
      [],
      [],
    ]);
    expect(await found(own, { info: false, dev: false })).toEqual([]);
  });

  test('finds the address with a label on a developer’s chain, before all others', async () => {
    const labels = { 'dev.labels': { labels: [{ name: 'bank', address }] } };
    const { matches } = await searchWith(' bank ', { results: [row('block', '1')] }, labels);
    expect(matches.map(({ href, note }) => [href, note])).toEqual([
      [`/address/${address}`, 'address, bank'],
      ['/block/1', 'block'],
    ]);
    expect((await searchWith('ban', { results: [] }, labels)).matches).toEqual([]);
    expect((await searchWith('bank', { results: [] }, labels, { has: { dev: false, info: true } })).matches).toEqual([]);
  });

  test('for nothing asks nothing', async () => {
    expect(await searchWith('  ', { results: [row('block', '1')] })).toEqual({ matches: [], more: 0, nearest: [], asked: [] });
    expect((await searchWith(' a b ', { results: [] })).asked).toEqual([`${testChainPath}/search?q=a%20b`]);
  });
});
