import { describe, expect, test } from 'bun:test';
import { compileRouteParams } from '../rest/params.ts';
import { compileParams } from '../rpc/compile-params.ts';
import { crossChainRows, outputRows, searchRows, throughputRows } from './explorer-routes.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { MethodDoc, MethodRow, MethodRows } from './method.ts';
import { methodDocs } from './node-method-docs.ts';
import { findJsonMismatches } from './schema-mismatches.fixture.ts';
import { type ServiceName, services } from './services.ts';

/** The rows against the answers of AvalancheGo and the documented examples. */

const rows = new Map<string, MethodRow>(
  Object.values(services).flatMap(({ prefix, methods }) =>
    Object.entries(methods as MethodRows).map(([name, row]): [string, MethodRow] => [prefix + name, row]),
  ),
);

const mismatches = ({ result }: MethodRow, value: unknown): string[] => findJsonMismatches(jsonSchemaOf(result), value, { strict: true });

describe('the captured results of AvalancheGo have the form of their rows', () => {
  const load = async (name: string): Promise<unknown> => Bun.file(new URL(`../../../vectors/${name}`, import.meta.url)).json();

  /** Calls with their results, in any of the forms in which they were captured. */
  const callsIn = (value: unknown): { readonly method: string; readonly result: unknown }[] => {
    if (Array.isArray(value)) return value.flatMap(callsIn);
    if (typeof value !== 'object' || value === null) return [];
    const { body, call, expect: expected, responseJSON, responseBody, ...rest } = value as { readonly [name: string]: unknown };
    const request = body ?? (call as { readonly body?: unknown } | undefined)?.body;
    const response = responseJSON ?? (expected as { readonly body?: unknown } | undefined)?.body ?? responseBody;
    const [asked, answered] = [request, response].map(parse) as { readonly method?: string; readonly result?: unknown }[];
    if (typeof asked?.method === 'string' && answered?.result !== undefined) return [{ method: asked.method, result: answered.result }];
    return Object.values(rest).flatMap(callsIn);
  };
  const parse = (value: unknown): unknown => {
    if (typeof value !== 'string') return value ?? {};
    try {
      return JSON.parse(value);
    } catch {
      return {};
    }
  };

  test.each([
    ['scenario.json', 300],
    ['errors.json', 20],
    ['counterparts.json', 5],
    ['info-health.json', 30],
  ])('%s', async (name, least) => {
    const calls = callsIn(await load(name)).filter(({ method }) => rows.has(method));
    expect(calls.length).toBeGreaterThan(least);
    // AvalancheGo writes the empty lists of the genesis as null.
    const isGenesisList = (line: string): boolean => /\.(txs|credentials) is null, not array/.test(line);
    const wrong = calls.flatMap(({ method, result }) => mismatches(rows.get(method)!, result).map((line) => `${method}: ${line}`));
    expect(wrong.filter((line) => !isGenesisList(line))).toEqual([]);
  });
});

test('the documented examples have the form of their rows', () => {
  let checked = 0;
  for (const [service, { prefix, methods }] of Object.entries(services))
    for (const [name, row] of Object.entries(methods as MethodRows)) {
      const doc = (methodDocs[service as ServiceName] as { readonly [name: string]: MethodDoc })[name]!;
      if (!('result' in doc) || doc.result.includes('…')) continue;
      checked++;
      expect([prefix + name, mismatches(row, JSON.parse(doc.result))]).toEqual([prefix + name, []]);
    }
  expect(checked).toBeGreaterThan(45);
});

test('every method has parameters that the Node RPC can read', () => {
  for (const row of rows.values()) if (row.isPositional === undefined) compileParams(row);
});

test('a parameter is in the path, required, or has a default, as its row says', () => {
  const describeParams = (row: Parameters<typeof compileRouteParams>[0]) =>
    Object.entries(compileRouteParams(row)).map(([name, param]) => [name, param.in, param.required, param.absent]);
  expect(describeParams(throughputRows.getThroughput)).toEqual([
    ['network', 'path', true, undefined],
    ['blockchainId', 'path', true, undefined],
    ['seconds', 'query', false, 60],
  ]);
  expect(describeParams(searchRows.search).at(-1)).toEqual(['q', 'query', true, undefined]);
  expect(describeParams(outputRows.getUtxo).at(-1)).toEqual(['utxoId', 'path', true, undefined]);
  expect(describeParams(crossChainRows.getCrossChainBalances)).toHaveLength(2);
});
