import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../../test/random.ts';
import { idText } from '../../base/bytes/id.ts';
import { compileRouteParams } from '../rest/params.ts';
import { addressText, createDataApiClient } from './data-requests.fixture.ts';
import { dataRoutes } from './routes.ts';
import { builder, cChain, chainID, people, sampleServed, txs, unusedAddress } from './sample-chain.fixture.ts';

/** Values that are valid for some parameter, and invalid ones. */
const sampleValues = [
  ...['local', '12345', 'mainnet', 'x-chain', 'X', 'p-chain', 'C', idText(chainID), idText(cChain), builder],
  ...[
    addressText(people.alice),
    `X-${addressText(people.bob)}`,
    `${addressText(people.carol)},P-${addressText(unusedAddress)}`,
    `${addressText(people.alice)},`,
  ],
  ...Object.values(txs).map(({ id }) => idText(id)),
  ...[
    '0',
    '1',
    '5',
    '6',
    '100',
    '101',
    '1024',
    '-1',
    '1.5',
    '1e3',
    '3000',
    '9007199254740993',
    '18446744073709551615',
    '99999999999999999999',
  ],
  ...['asc', 'desc', 'timestamp', 'amount', 'true', 'false', 'BaseTx', 'AddValidatorTx', 'nftIndexing', 'BaseTx,ExportTx'],
  ...['00000000-0000-4000-8000-000000000000', 'null', 'undefined', '__proto__', 'constructor', '%', '\u0000', '..', ' ', ''],
];
const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...sampleValues) }, fc.string({ unit: 'binary', maxLength: 40 }));

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
};

describe('random requests get a response that matches its schema or a well-formed error', () => {
  const failures: unknown[] = [];
  const ask = createDataApiClient(sampleServed(), { report: (error) => failures.push(error) });
  const rows = dataRoutes();
  const share = 0.02 / rows.length;

  test.each(rows.map((row) => [row.id, row] as const))(
    '%s',
    async (_, { path, method, params }) => {
      const names = [...Object.keys(params), 'unknown'];
      const given = fc.record(Object.fromEntries(names.map((name) => [name, fc.option(text, { nil: undefined })])), { requiredKeys: [] });
      await fc.assert(
        fc.asyncProperty(given, fc.boolean(), async (values, hasValidPath) => {
          const target = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
            encodeURIComponent((hasValidPath ? undefined : values[name]) ?? defaults[name] ?? 'x').replaceAll('.', '%2E'),
          );
          const compiled = compileRouteParams({ path, params });
          const inBody = names.filter((name) => compiled[name]?.in === 'body');
          const query = names.flatMap((name) =>
            compiled[name]?.in === 'path' || inBody.includes(name) || values[name] === undefined
              ? []
              : [`${name}=${encodeURIComponent(values[name].toWellFormed())}`],
          );
          const body = JSON.stringify(Object.fromEntries(inBody.map((name) => [name, values[name]])));
          const { status, mismatches, json } = await ask(`${target}?${query.join('&')}`, method === 'POST' ? { method, body } : {});
          expect(failures.splice(0)).toEqual([]);
          expect({ target, query, mismatches, isExpectedStatus: [200, 400, 404].includes(status) || json }).toEqual({
            target,
            query,
            mismatches: [],
            isExpectedStatus: true,
          });
        }),
        { numRuns: hostileRounds(share) },
      );
    },
    hostileTimeout,
  );
});
