import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../test/random.ts';
import { idText } from '../bytes/id.ts';
import { askData, spelt } from './ask.fixture.ts';
import { dataRoutes } from './routes.ts';
import { builder, cChain, chainID, nobody, people, servedBy, txs } from './world.fixture.ts';

/** Texts that mean something somewhere, and texts that do nowhere. */
const known = [
  ...['local', '12345', 'mainnet', 'x-chain', 'X', 'p-chain', 'C', idText(chainID), idText(cChain), builder],
  ...[spelt(people.alice), `X-${spelt(people.bob)}`, `${spelt(people.carol)},P-${spelt(nobody)}`, `${spelt(people.alice)},`],
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
const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, fc.string({ unit: 'binary', maxLength: 40 }));

const usual: Readonly<Record<string, string>> = {
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

describe('whatever is asked, the answer is of its shape or a refusal that says why', () => {
  const failures: unknown[] = [];
  const ask = askData(servedBy(), { report: (error) => failures.push(error) });
  const rows = dataRoutes();
  const share = 0.02 / rows.length;

  test.each(rows.map((row) => [row.id, row] as const))(
    '%s',
    async (_, { path, method, params }) => {
      const names = [...Object.keys(params), 'unknown'];
      const given = fc.record(Object.fromEntries(names.map((name) => [name, fc.option(text, { nil: undefined })])), { requiredKeys: [] });
      await fc.assert(
        fc.asyncProperty(given, fc.boolean(), async (values, isPlace) => {
          const target = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
            encodeURIComponent((isPlace ? undefined : values[name]) ?? usual[name] ?? 'x').replaceAll('.', '%2E'),
          );
          const inBody = names.filter((name) => params[name]?.in === 'body');
          const query = names.flatMap((name) =>
            params[name]?.in === 'path' || inBody.includes(name) || values[name] === undefined
              ? []
              : [`${name}=${encodeURIComponent(values[name].toWellFormed())}`],
          );
          const body = JSON.stringify(Object.fromEntries(inBody.map((name) => [name, values[name]])));
          const { status, flaws, json } = await ask(`${target}?${query.join('&')}`, method === 'POST' ? { method, body } : {});
          expect(failures.splice(0)).toEqual([]);
          expect({ target, query, flaws, known: [200, 400, 404].includes(status) || json }).toEqual({
            target,
            query,
            flaws: [],
            known: true,
          });
        }),
        { numRuns: hostileRounds(share) },
      );
    },
    hostileTimeout,
  );
});
