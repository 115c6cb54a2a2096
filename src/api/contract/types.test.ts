import { expect, test } from 'bun:test';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { implementRoutes } from '../rest/route.ts';
import { combineServices, createService, implement } from '../rpc/method.ts';
import { type CallOf, method } from './method.ts';
import { route } from './route.ts';
import type { pageSize } from './route-params.ts';
import { anyOf, bigIntegerText, id, integer, list, nothing, oneOf, optional, record, text, u64 } from './schema.ts';
import type { InputOf, JsonOf, OutOf, ParamsOf, ValuesOf } from './views.ts';

/** The compiler checks this file: a line marked `@ts-expect-error` that compiles is an error. */

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

const Row = record({ amount: bigIntegerText(), kind: oneOf(['a', 'b']), next: optional(integer()), who: anyOf([text(), nothing()]) });

test('one schema has the types of the wire, of the client and of a handler', () => {
  same<JsonOf<typeof Row>['amount'], string>(true);
  same<OutOf<typeof Row>['amount'], bigint>(true);
  same<OutOf<typeof Row>['kind'], 'a' | 'b'>(true);
  same<JsonOf<typeof Row>['who'], string | null>(true);
  const params = { txID: id(), height: optional(u64()), names: list(text()) };
  same<ParamsOf<typeof params>, { readonly txID: Id; readonly height: bigint; readonly names: readonly string[] }>(true);
  same<InputOf<typeof params>['txID'], string>(true);
  same<ValuesOf<{ a: ReturnType<typeof pageSize> }>['a'], number>(true);
});

const rows = { double: method({ n: u64() }, record({ n: bigIntegerText() }), 'n') };

test('the table of handlers is closed, and handlers fit their rows', async () => {
  const table = implement<object>()(rows, { double: async (_, { n }) => ({ n: `${n * 2n}` }) });
  const { methods } = combineServices(createService('t', table, {}));
  const double = methods.get('t.double')!;
  expect(await double.run(double.readParams('{"n":"21"}'))).toEqual({ n: '42' });
  // @ts-expect-error: no handler
  implement<object>()(rows, {});
  // @ts-expect-error: a handler without a row
  implement<object>()(rows, { double: async (_, { n }) => ({ n: `${n}` }), triple: () => ({ n: '3' }) });
  // @ts-expect-error: another result than that of the row
  implement<object>()(rows, { double: async (_, { n }) => ({ n }) });
  // @ts-expect-error: a parameter that the row does not have
  implement<object>()(rows, { double: (_, { m }) => ({ n: `${m}` }) });
});

test('the same holds for routes', () => {
  const common = { method: 'GET', tag: 'Test', summary: '', cachePolicy: 'never' } as const;
  const routes = { getThing: route({ ...common, path: '/v1/{thing}', params: { thing: id() }, response: record({ id: text() }) }) };
  const [thing] = implementRoutes<object>()(routes, { getThing: async (_, values) => ({ id: idText(values.thing) }) });
  expect(thing?.id).toBe('getThing');
  // @ts-expect-error: no handler
  implementRoutes<object>()(routes, {});
  // @ts-expect-error: another answer than that of the row
  implementRoutes<object>()(routes, { getThing: async () => ({ id: zeroId, more: 1, name: 5 }).name });
});

test('the client takes a parameter alone, and returns bigints', () => {
  const call: CallOf<typeof rows.double> = async (argument) => ({ n: BigInt(typeof argument === 'object' ? argument.n : argument) });
  same<Awaited<ReturnType<typeof call>>, { readonly n: bigint }>(true);
  expect(call(3)).resolves.toEqual({ n: 3n });
});
