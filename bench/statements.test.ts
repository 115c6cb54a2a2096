import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metricNames } from '../src/api/contract/metrics.ts';
import { dataRoutes } from '../src/api/data/routes.ts';
import { explorerRoutes } from '../src/api/explorer-routes/routes.ts';
import { metricsApiRoutes } from '../src/api/metrics-api/routes.ts';
import { compileRouteParams } from '../src/api/rest/params.ts';
import { createTestRequest } from '../src/api/rest/requests.fixture.ts';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { refId } from '../src/avm/tx/utxo.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { createLocalSource } from '../src/explorer/load/local-source.ts';
import { chainPath, type PageContext } from '../src/explorer/load/page-context.ts';
import { createReferenceLoader } from '../src/explorer/pages/load-reference.ts';
import { fixedPages, namedPages, type PageRow } from '../src/explorer/pages/page-table.ts';
import { localChainParams } from '../test/wallet-kit.ts';
import { openChainStore } from './chain-store.ts';
import { addressAt } from './data-chain.ts';
import { formatXAddress } from './fixture.ts';
import { type LivelyChain, makeLivelyChain } from './lively-chain.ts';
import { createLocalBackfill } from './local-backfill.ts';
import { type PostgresBenchChain, preparePostgres } from './postgres-chain.ts';
import type { SqlCount } from './sql-counter.ts';
import { createUncachedHandler } from './uncached-api.ts';

/** The most statements of any answer, with empty caches. */
const maxStatements = 12;
/**
 * The most round trips of any answer, one after the other. A list of one asset has one more if the first rows of its addresses are of other assets and
 * spent: no index has the asset of a spent output.
 */
const maxRoundTrips = 4;
const isOfOneAsset = (request: string): boolean => /^getUtxosByAddresses.*"assetId".*"includeSpent"/.test(request);

/**
 * The same for pages that are made of six answers and more. Transactions of other kinds than transfers add up to two: what they consume is looked up,
 * and names of assets; whether they are among the newest of an address depends on the speed of the machine. The page of a family of NFTs has its groups
 * and their owners too: the outputs of the family are looked for among all outputs of the owners.
 */
const manyAnswers = { home: 14, block: 14, address: 16, asset: 19, family: 24 };

const server = process.env.SERAC_TEST_POSTGRES;
const txs = 2000;

describe.skipIf(server === undefined)('statements of an answer on PostgreSQL', () => {
  const dir = mkdtempSync(join(tmpdir(), 'serac-statements-'));
  let made: LivelyChain;
  let chain: PostgresBenchChain;
  /** Half of the blocks are later. */
  let middleTime = 0;

  beforeAll(async () => {
    made = await makeLivelyChain(join(dir, 'chain'), txs);
    const store = openChainStore(made.dir, 'read');
    chain = await preparePostgres(server as string, store, { txs, addresses: 'signed' });
    store.close();
    middleTime = (await chain.reads.pinAtHeight(made.blocks >> 1))?.time ?? 0;
  }, 600_000);

  afterAll(async () => {
    await chain?.close();
    rmSync(dir, { recursive: true });
    if (chain === undefined) return;
    const admin = openPostgres({ url: server as string, max: 1, statementMilliseconds: 60_000 });
    await admin.all(`DROP DATABASE ${new URL(chain.url).pathname.slice(1)} WITH (FORCE)`, []);
    await admin.close();
  }, 600_000);

  /** An API without cached items, which must ask for imports of exports before it answers. */
  const openApi = () => createUncachedHandler({ ...chain, backfill: createLocalBackfill(chain) }, 0);

  /** Sends a request to such an API. */
  async function ask(
    target: string,
    body?: string,
    handler = openApi(),
  ): Promise<SqlCount & { readonly status: number; readonly unprepared: readonly string[] }> {
    let status = 0;
    const count = await chain.counter.count(async () => {
      ({ status } = await handler(createTestRequest(target, body === undefined ? {} : { method: 'POST', body })));
    });
    // The driver prepares no statement without values: the server would plan it every time.
    return { ...count, status, unprepared: chain.counter.sent().flatMap(({ text }) => (text.includes('?') ? [] : text)) };
  }

  /** The addresses of the chain, and others that have nothing. */
  const addresses = (): string =>
    [...made.addresses, ...Array.from({ length: 64 - made.addresses.length }, (_, i) => formatXAddress(addressAt(i)))].join();
  const hotAddress = (): string => made.addresses[1] as string;
  const someTx = (): Id => made.txIDs[made.txIDs.length >> 1] as Id;
  const txHashes = (): string => made.txIDs.slice(100, 200).map(idText).join();

  /** Values of parameters, by name: those with which an answer reads most. Parameters without a value are left out. */
  const values = (): Readonly<Record<string, string>> => ({
    network: 'local',
    blockchainId: 'x-chain',
    chainId: 'X',
    blockId: String(made.blocks >> 1),
    txHash: idText(someTx()),
    assetId: made.asset,
    addresses: addresses(),
    txHashes: txHashes(),
    pageSize: '100',
    days: '366',
    q: 'Soak',
  });

  /** Values of single routes. */
  const ownValues = (): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
    getBalanceHistory: { addresses: hotAddress() },
    getUtxo: { utxoId: idText(refId({ txID: someTx(), outputIndex: 0 })) },
  });

  /** Further values, each of which is asked for in a request of its own. */
  const variants = (): readonly Readonly<Record<string, string>>[] => [
    {},
    ...[made.asset, made.family, idText(localChainParams.feeAsset), idText(localChainParams.blockchainID)].flatMap(
      (assetId): Record<string, string>[] => [
        { assetId },
        { assetId, includeSpent: 'true' },
        { assetId, sortBy: 'amount', includeSpent: 'true' },
      ],
    ),
    { includeSpent: 'true' },
    { sortBy: 'amount' },
    { sortBy: 'amount', includeSpent: 'true' },
    { minUtxoAmount: '8', includeSpent: 'true' },
    { addresses: hotAddress() },
    { addresses: hotAddress(), includeSpent: 'true' },
    { startTimestamp: '1000', endTimestamp: '99999999999' },
    { blockTimestamp: '99999999999' },
    { blockTimestamp: String(middleTime) },
    ...metricNames.map((metric) => ({ metric })),
  ];

  const routes = [...dataRoutes(), ...explorerRoutes({ hasLifecycle: false, hasMempool: false }), ...metricsApiRoutes()];

  test('every route runs few statements, whatever it is asked for', async () => {
    // The first search for an output reads the IDs of the newest ones, the first list by amount the lowest number of an output: a process keeps both.
    const path = '/v1/networks/local/blockchains/x-chain';
    await ask(`${path}/utxos/${ownValues().getUtxo?.utxoId}`);
    await ask(`${path}/utxos?addresses=${hotAddress()}&sortBy=amount`);
    const counts: Record<string, SqlCount> = {};
    const answered = new Set<string>();
    for (const { id, method, path, params } of routes) {
      const compiled = compileRouteParams({ path, params });
      const given = variants().filter((variant) => Object.keys(variant).every((name) => compiled[name] !== undefined));
      for (const variant of given) {
        const all = { ...values(), metric: metricNames[0], ...ownValues()[id], ...variant };
        const sent = Object.entries(compiled).flatMap(([name, { in: place }]) => {
          const value = (all as Readonly<Record<string, string | undefined>>)[name];
          // Only some of the lists are those of one asset.
          const isLeftOut = value === undefined || (name === 'assetId' && place !== 'path' && !('assetId' in variant));
          return isLeftOut ? [] : [{ name, place, value }];
        });
        const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent((all as Readonly<Record<string, string>>)[name] ?? 'x'),
        );
        const query = sent.filter(({ place }) => place === 'query').map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
        const body = Object.fromEntries(sent.filter(({ place }) => place === 'body').map(({ name, value }) => [name, value]));
        const answer = await ask(`${target}?${query.join('&')}`, method === 'POST' ? JSON.stringify(body) : undefined);
        if (answer.status === 200) answered.add(id);
        const { statements, roundTrips } = answer;
        counts[`${id} ${JSON.stringify(variant)}`] = { statements, roundTrips };
      }
    }
    const isTooMany = ([request, { statements, roundTrips }]: [string, SqlCount]): boolean =>
      statements > maxStatements || roundTrips > maxRoundTrips + Number(isOfOneAsset(request));
    expect(Object.entries(counts).filter(isTooMany)).toEqual([]);
    // The chain has no vertices, this server no P-Chain and no node.
    const others = /vertices|Staking|\{nodeId\}/;
    const unanswered = routes.filter(({ id, path }) => !answered.has(id) && path.includes('{blockchainId}') && !others.test(path));
    expect(unanswered.map(({ id }) => id)).toEqual([]);
    expect(answered.size).toBeGreaterThan(25);
  }, 600_000);

  // One of them looks whether an export of these addresses was imported meanwhile.
  test('round trips of the pages that are asked for most, with nothing cached', async () => {
    const path = '/v1/networks/local/blockchains/x-chain';
    const [hot, one] = [hotAddress(), made.addresses[7] as string];
    const limits: readonly (readonly [target: string, roundTrips: number])[] = [
      // What transactions of other kinds than transfers consume is looked up by ID.
      [`${path}/transactions?pageSize=100`, 3],
      [`${path}/transactions?addresses=${hot}&pageSize=100`, 4],
      [`${path}/assets/${made.asset}/transactions?pageSize=100`, 4],
      [`${path}/transactions/${idText(someTx())}`, 1],
      [`${path}/utxos?addresses=${hot}&pageSize=100`, 3],
      [`${path}/utxos?addresses=${addresses()}&pageSize=100`, 3],
      [`${path}/utxos?addresses=${hot}&sortBy=amount&pageSize=100`, 3],
      [`${path}/balances?addresses=${one}`, 3],
      [`${path}/balances?addresses=${addresses()}`, 3],
      // Blocks of few transactions have no list of their IDs.
      [`${path}/blocks?pageSize=100`, 3],
    ];
    // The lowest number of an output is read by the first list by amount of a process, and kept.
    await ask(`${path}/utxos?addresses=${one}&sortBy=amount`);
    const found: object[] = [];
    for (const [target, most] of limits) {
      const { roundTrips, status, unprepared } = await ask(target);
      if (roundTrips > most || status !== 200 || unprepared.length > 0) found.push({ target, roundTrips, status, unprepared });
    }
    expect(found).toEqual([]);
    // Where no export has to be looked for. The outputs of 64 addresses are merged from first rows of each, and then more of some.
    const isMerged = (target: string): boolean => target.includes('utxos') && target.includes(addresses());
    for (const [target] of limits.filter(([one]) => /utxos|balances/.test(one) && !isMerged(one)))
      expect((await ask(target, undefined, createUncachedHandler(chain, 0))).roundTrips).toBeLessThanOrEqual(2);
  }, 600_000);

  test('statements of the pages of the explorer, each made of several answers, with nothing cached', async () => {
    const context = pageContext();
    const [hot, tx] = [hotAddress(), idText(someTx())];
    const named = (row: string, name: string) => [`/${row}/${name.slice(0, 20)}`, namedPages[row] as PageRow, name] as const;
    const pages = [
      ...Object.entries(fixedPages).map(([path, row]) => [path, row, ''] as const),
      // Blocks with transactions of each kind. The page of a block with one transaction shows all of it, which takes most if it operates on NFTs.
      ...Array.from({ length: 60 }, (_, i) => named('block', String(i + 1))),
      named('tx', tx),
      named('graph', tx),
      named('address', hot),
      named('outputs', hot),
      named('address', made.addresses[0] as string),
      named('asset', made.asset),
      named('asset', made.family),
      named('asset', idText(localChainParams.feeAsset)),
    ];
    const counts: Record<string, number> = {};
    // These pages read from a node, from the event log, or nothing.
    const withoutIndex = ['/node', '/dev', '/dev/calls', '/watch', '/mempool', '/api', '/webhooks'];
    const parseAddress = (address: string) => ({ address, hex: '' });
    const { time: now } = await chain.reads.tip();
    const reference = createReferenceLoader();
    const origin = 'http://127.0.0.1:9650';
    const parts = { context, page: undefined, rows: undefined, query: new URLSearchParams(), now, parseAddress, reference, origin };
    for (const [path, { load }, name] of pages.filter(([path]) => !withoutIndex.includes(path))) {
      const source = createLocalSource(openApi(), createTestRequest('/'), () => undefined);
      // The name of the fee asset and the time of block 1 are read by the first request of a process, and kept.
      await source.get(`${chainPath(context)}/balances?addresses=${hot}`);
      await source.get('/v2/chains/X/rollingWindowMetrics/txCount');
      const { statements } = await chain.counter.count(async () => expect(await load({ ...parts, source, name })).toBeDefined());
      counts[path] = statements;
    }
    const limitOf = (path: string): number => {
      if (path === '/') return manyAnswers.home;
      if (path.startsWith('/block/')) return manyAnswers.block;
      if (path.startsWith('/address/')) return manyAnswers.address;
      if (!path.startsWith('/asset/')) return maxStatements;
      return made.family.startsWith(path.slice('/asset/'.length)) ? manyAnswers.family : manyAnswers.asset;
    };
    expect(Object.entries(counts).filter(([path, count]) => count > limitOf(path))).toEqual([]);
  }, 600_000);

  /** What pages know of a server that has the Data and Metrics APIs and nothing else. */
  function pageContext(): PageContext {
    const { blockchainID, feeAsset } = localChainParams;
    const token = { feeAsset: idText(feeAsset), feeSymbol: 'AVAX', feeDecimals: 9 };
    const none = { events: false, rpc: false, dev: false, faucet: false, devToken: false, health: false, info: false };
    return {
      version: '',
      network: { id: 12345, name: 'local', hrp: 'local' },
      chain: { id: idText(blockchainID), alias: 'X', slug: 'x-chain', title: 'X-Chain', ...token, rpcUrl: '' },
      otherChains: [],
      followedUrl: undefined,
      has: { ...none, explorer: true, metrics: true, prometheus: false, settings: false, follow: false },
      operations: routes.map(({ id }) => id),
    };
  }
});
