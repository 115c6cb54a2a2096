import { type AnySchema, isOptional, schemaOf } from '../contract/schema.ts';
import { apiError, quoteValue } from './api-error.ts';

/**
 * Checks a JSON value of a body against its schema and returns it. Throws an `ApiError` whose message names the property. Properties that the
 * schema does not have are left out: clients of other servers send more.
 */
export function readBodyValue(schema: AnySchema, value: unknown, name: string): unknown {
  switch (schema.kind) {
    case 'text':
      return readText(value, name, schema.max);
    case 'flag':
      if (typeof value !== 'boolean') throw apiError(400, `${name} must be a boolean value`);
      return value;
    case 'oneOf': {
      if (typeof value === 'string' && schema.values.includes(value)) return value;
      const reason = typeof value === 'string' && Object.hasOwn(schema.unavailable ?? {}, value) ? schema.unavailable?.[value] : undefined;
      const served = `${name} must be one of the following values: ${schema.values.join(', ')}`;
      throw apiError(400, reason === undefined ? served : `${name} ${quoteValue(String(value))} is not available: ${reason}; ${served}`);
    }
    case 'list': {
      if (!Array.isArray(value)) throw apiError(400, `${name} must be a list`);
      if (value.length > (schema.max ?? defaultMaxItems))
        throw apiError(400, `${name} must have at most ${schema.max ?? defaultMaxItems} items`);
      return value.map((item, i) => readBodyValue(schema.items, item, `${name}[${i}]`));
    }
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw apiError(400, `${name} must be an object`);
      const found = value as Record<string, unknown>;
      return Object.fromEntries(
        Object.entries(schema.properties).flatMap(([key, field]) => {
          const part = Object.hasOwn(found, key) ? found[key] : undefined;
          if (part !== undefined && part !== null) return [[key, readBodyValue(schemaOf(field), part, `${name}.${key}`)]];
          if (!isOptional(field)) throw apiError(400, `${name}.${key} must be given`);
          return [];
        }),
      );
    }
    default:
      throw new TypeError(`bodies have no values of the kind ${schema.kind}`);
  }
}

const defaultMaxItems = 100;
/** Characters. */
const defaultMaxText = 512;

function readText(value: unknown, name: string, max = defaultMaxText): string {
  if (typeof value !== 'string') throw apiError(400, `${name} must be a string`);
  if (value.length > max) throw apiError(400, `${name} must not be longer than ${max} characters`);
  return value;
}
