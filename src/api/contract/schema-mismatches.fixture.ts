import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';
import type { AnySchema } from './schema.ts';

type Options = { readonly strict?: boolean };

/**
 * Returns a line for each place where a JSON value does not match a schema of the contract. `strict`: properties that the schema does not
 * have are mismatches.
 */
export const findMismatches = (schema: AnySchema, value: unknown, options: Options = {}): string[] =>
  findJsonMismatches(jsonSchemaOf(schema), value, options);

/** The same for JSON Schema. */
export function findJsonMismatches(schema: JsonSchema, value: unknown, { strict = false }: Options = {}, at = '$'): string[] {
  const { oneOf, enum: allowed } = schema;
  if (oneOf !== undefined) {
    const tried = oneOf.map((each) => findJsonMismatches(each, value, { strict }, at));
    const matching = tried.filter((each) => each.length === 0).length;
    if (matching === 1) return [];
    return matching === 0 ? [`${at} fits none of ${oneOf.length} schemas: ${tried.flat().join('; ')}`] : [`${at} fits ${matching} schemas`];
  }
  const type = typeOf(value);
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types !== undefined && !types.some((each) => each === type || (each === 'number' && type === 'integer')))
    return [`${at} is ${type}, not ${types.join(' or ')}`];
  if (allowed !== undefined && !allowed.includes(value as string))
    return [`${at} is ${JSON.stringify(value)}, not one of ${allowed.join(', ')}`];
  if (typeof value === 'number') return numberMismatches(schema, value, at);
  if (typeof value === 'string') return textMismatches(schema, value, at);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, index) => findJsonMismatches(items, item, { strict }, `${at}[${index}]`));
  }
  return type === 'object' ? objectMismatches(schema, value as Readonly<Record<string, unknown>>, strict, at) : [];
}

function objectMismatches(schema: JsonSchema, value: Readonly<Record<string, unknown>>, strict: boolean, at: string): string[] {
  const { properties = {}, required = [], additionalProperties = schema.type === undefined || !strict } = schema;
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, item]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (known === false) return [`${at}.${name} is not documented`];
    return known === true || known === undefined ? [] : findJsonMismatches(known, item, { strict }, `${at}.${name}`);
  });
  return [...missing, ...wrong];
}

function numberMismatches({ minimum, maximum }: JsonSchema, value: number, at: string): string[] {
  if (minimum !== undefined && value < minimum) return [`${at} is ${value}, less than ${minimum}`];
  return maximum !== undefined && value > maximum ? [`${at} is ${value}, greater than ${maximum}`] : [];
}

function textMismatches({ pattern, format }: JsonSchema, value: string, at: string): string[] {
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return [`${at} is ${JSON.stringify(value)}, not like ${pattern}`];
  if (format === 'uuid' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value))
    return [`${at} is ${JSON.stringify(value)}, no UUID`];
  return [];
}

function typeOf(value: unknown): 'null' | 'array' | 'integer' | 'number' | 'string' | 'boolean' | 'object' | 'nothing' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'object' ? (typeof value as 'string') : 'nothing';
}
