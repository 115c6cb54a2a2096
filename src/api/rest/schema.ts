/** The part of JSON Schema (as in OpenAPI 3.1) that the Data and Metrics APIs need. */
export type Schema = {
  readonly type?: JsonType | readonly JsonType[];
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number | boolean;
  readonly example?: unknown;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  /** Name of a shared schema: the OpenAPI document lists it once under `components` and refers to it. */
  readonly title?: string;
};

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

export const text = (description?: string): Schema => ({ type: 'string', ...described(description) });
export const number = (description?: string): Schema => ({ type: 'number', ...described(description) });
export const integer = (description?: string): Schema => ({ type: 'integer', ...described(description) });
export const flag = (description?: string): Schema => ({ type: 'boolean', ...described(description) });
export const oneOf = (values: readonly string[], description?: string): Schema => ({
  type: 'string',
  enum: values,
  ...described(description),
});
export const list = (items: Schema, description?: string): Schema => ({ type: 'array', items, ...described(description) });
/** An object whose property names are not known in advance. */
export const map = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });

/** Every property is required unless it is wrapped in `optional`. */
export function object(title: string, properties: { readonly [name: string]: Schema | Optional }): Schema {
  const entries = Object.entries(properties);
  return {
    title,
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name, 'optional' in schema ? schema.optional : schema])),
    required: entries.filter(([, schema]) => !('optional' in schema)).map(([name]) => name),
  };
}

export type Optional = { readonly optional: Schema };
export const optional = (schema: Schema): Optional => ({ optional: schema });

const described = (description: string | undefined) => (description === undefined ? {} : { description });
