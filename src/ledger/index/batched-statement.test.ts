import { describe, expect, test } from 'bun:test';
import { batchedStatement, placeholders, valueTuples } from './batched-statement.ts';
import { shardOf } from './distribution.ts';
import { addressStatement, arrayStatement, arrayText, distinctArrayText, typeOf } from './key-array.ts';

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);

describe('rows in batches', () => {
  test('as many as fit in the largest statement, then in smaller ones, in their order', () => {
    const texts: number[] = [];
    const statement = batchedStatement([4, 2, 1], 2, (rows) => {
      texts.push(rows);
      return `${rows} rows`;
    });
    const values = Array.from({ length: 2 * 11 }, (_, i) => i);
    const queries = statement(values);
    expect(queries.map(({ text }) => text)).toEqual(['4 rows', '4 rows', '2 rows', '1 rows']);
    expect(queries.flatMap((query) => query.values)).toEqual(values);
    expect(queries.map((query) => query.values.length)).toEqual([8, 8, 4, 2]);
    expect([statement([]), statement([1, 2]).length]).toEqual([[], 1]);
    // Each text is made once.
    expect(texts).toEqual([4, 2, 1]);
  });

  test('placeholders of values, and of rows whose first has casts', () => {
    expect([placeholders(3), placeholders(0)]).toEqual(['?,?,?', '']);
    expect(valueTuples(2, 3)).toBe('(?,?,?),(?,?,?)');
    expect(valueTuples(2, 1, ['CAST(? AS int)'])).toBe('(CAST(? AS int)),(?)');
  });
});

describe('rows as arrays of PostgreSQL', () => {
  test('one array for each column, of at most 1,024 rows', () => {
    const statement = arrayStatement(['int', 'blob'], (rows) => `SELECT * FROM ${rows}`);
    const [one, ...none] = statement([1, bytes(0xab), 2, null]);
    expect([one?.values, none]).toEqual([['{1,2}', '{"\\\\xab",NULL}'], []]);
    expect(one?.text).toMatch(/^SELECT \* FROM unnest\(CAST\(\? AS bigint\[\]\), CAST\(\? AS bytea\[\]\)\)$/);
    const many = statement(Array.from({ length: 2 * 1025 }, () => 7));
    expect(many.map(({ values: [column] }) => String(column).split(',').length)).toEqual([1024, 1]);
    expect(statement([])).toEqual([]);
  });

  test('rows of a table that Citus divides: one statement for each shard, with its addresses', () => {
    const rows = Array.from({ length: 40 }, (_, i) => [i, bytes(...new Array<number>(20).fill(i))] as const);
    const statement = addressStatement('citus', ['int', 'blob'], 1, (source, isInShard) => `${source}${isInShard('a')}`);
    const queries = statement(rows.flat());
    const shards = new Map<number, number[]>();
    for (const [number, address] of rows) shards.set(shardOf(address), [...(shards.get(shardOf(address)) ?? []), number]);
    expect(shards.size).toBeGreaterThan(1);
    expect(queries.map(({ values: [numbers] }) => numbers)).toEqual([...shards.values()].map((numbers) => `{${numbers.join()}}`));
    for (const { text, values } of queries) {
      expect(text).toEndWith(' AND a = ANY(CAST(? AS bytea[]))');
      expect(values).toHaveLength(3);
      expect(values[2]).toBe(values[1] as string);
    }
    const plain = addressStatement('postgres', ['int', 'blob'], 1, (source, isInShard) => `${source}${isInShard('a')}`)(rows.flat());
    expect([plain.length, plain[0]?.values.length, plain[0]?.text.includes('ANY')]).toEqual([1, 2, false]);
  });

  test('elements: numbers, bytes, texts with quotes, and nothing', () => {
    expect(arrayText([1, -2, null, bytes(0, 255), 'a"b\\c'])).toBe('{1,-2,NULL,"\\\\x00ff","a\\"b\\\\c"}');
    expect(distinctArrayText([bytes(1), bytes(2), bytes(1), 3, 3])).toBe('{"\\\\x01","\\\\x02",3}');
    expect([arrayText([]), distinctArrayText([])]).toEqual(['{}', '{}']);
  });

  test('the type of a column is that of its first value', () => {
    expect([typeOf([null, 1]), typeOf(['a']), typeOf([bytes(1)]), typeOf([null]), typeOf([])]).toEqual([
      'bigint',
      'text',
      'bytea',
      'bytea',
      'bytea',
    ]);
  });
});
