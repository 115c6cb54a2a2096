import { deepStrictEqual, ok } from 'node:assert';
import { addressText, createDataApiClient } from '../../src/api/data/data-requests.fixture.ts';
import { dataRoutes } from '../../src/api/data/routes.ts';
import { builder, cChain, chainID, people, sampleServed, txs, unusedAddress } from '../../src/api/data/sample-chain.fixture.ts';
import { compileRouteParams } from '../../src/api/rest/params.ts';
import { idText } from '../../src/base/bytes/id.ts';
import type { FuzzTarget } from './target.ts';

/* Parameters of the Data API on a chain of six blocks: each answer matches the schema of its route, or is a well-formed error. */

const defaults: Readonly<Record<string, string>> = {
  network: 'local',
  blockchainId: 'x-chain',
  chainId: 'X',
  blockId: '3',
  nodeId: builder,
  txHash: idText(txs.gift.id),
  assetId: idText(txs.coin.id),
  vertexHash: idText(txs.gift.id),
  subnetId: idText(chainID),
  addresses: addressText(people.alice),
};
const words = [
  ...['local', '12345', 'mainnet', 'x-chain', 'p-chain', idText(chainID), idText(cChain), builder, 'pageToken', 'pageSize', 'sortOrder'],
  ...[
    addressText(people.bob),
    `X-${addressText(people.carol)}`,
    `,P-${addressText(unusedAddress)}`,
    ...Object.values(txs).map(({ id }) => idText(id)),
  ],
  ...['asc', 'desc', 'true', 'false', 'BaseTx', 'nftIndexing', 'BaseTx,ExportTx', '00000000-0000-4000-8000-000000000000'],
  ...['null', 'undefined', '__proto__', 'constructor', '%', '%00', '%ff', '..', '+', '&', '=', ';', '?', '#'],
];

/** A request to each route with all of its parameters, and one with the required ones only: a line, and the body. */
export const dataSeeds = (): string[] =>
  dataRoutes().flatMap(({ method, path, params }) => {
    const compiled = compileRouteParams({ path, params });
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(defaults[name] ?? 'x'));
    const named = (place: 'query' | 'body') => Object.keys(params).filter((name) => compiled[name]?.in === place);
    const query = named('query').map((name) => `${name}=${defaults[name] ?? '1'}`);
    const body =
      method === 'POST' ? `\n\n${JSON.stringify(Object.fromEntries(named('body').map((name) => [name, defaults[name] ?? '1'])))}` : '';
    return [`${method} ${target}${body}`, ...query.map((one) => `${method} ${target}?${one}${body}`)];
  });

export const dataTarget: FuzzTarget = {
  name: 'data',
  seeds: dataSeeds,
  words: [...words, ...new Set(dataRoutes().flatMap(({ params }) => Object.keys(params)))],
  maxRetained: 16_000_000,
  open: () => {
    const reported: unknown[] = [];
    const ask = createDataApiClient(sampleServed(), { logError: (error) => reported.push(error) });
    return {
      run: async (input) => {
        const [head = '', body = ''] = Buffer.from(input)
          .toString('utf8')
          .split(/\n\n(.*)/s);
        const [method = '', target = ''] = head.split(/ (.*)/s);
        const { status, mismatches } = await ask(target, { method, body });
        deepStrictEqual(reported.splice(0), [], 'an unexpected error was reported');
        deepStrictEqual(mismatches, []);
        ok([200, 400, 404, 413].includes(status), `status ${status}`);
      },
    };
  },
};
