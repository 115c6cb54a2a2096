import { Fault } from '../../base/fault.ts';
import type { JsonSchema } from './json-schema.ts';

/** A schema as it is in a document: schemas with a title are references. */
export type SchemaObject = { readonly [word: string]: unknown };
export type ToSchemaObject = (schema: JsonSchema) => SchemaObject;

/** Collects the schemas of a document that have a title, each once. */
export function createComponents(): { readonly schemas: Record<string, SchemaObject>; readonly toSchemaObject: ToSchemaObject } {
  const schemas: Record<string, SchemaObject> = {};
  const sources = new Map<string, string>();

  const writeSchema = ({ title: _, example, properties, items, additionalProperties, oneOf, ...words }: JsonSchema): SchemaObject => ({
    ...words,
    examples: example === undefined ? undefined : [example],
    properties: properties && mapValues(properties, toSchemaObject),
    items: items && toSchemaObject(items),
    oneOf: oneOf?.map(toSchemaObject),
    additionalProperties: typeof additionalProperties === 'object' ? toSchemaObject(additionalProperties) : additionalProperties,
  });

  const toSchemaObject: ToSchemaObject = (schema) => {
    const { title, description, ...rest } = schema;
    if (title === undefined) return writeSchema(schema);
    const source = JSON.stringify(rest);
    const before = sources.get(title);
    if (before !== undefined && before !== source)
      throw new DocumentError(`two different schemas have the title ${title}`, { code: 'API_SCHEMA_TWICE', title });
    if (before === undefined) {
      sources.set(title, source);
      schemas[title] = {};
      schemas[title] = writeSchema(rest);
    }
    return { $ref: `#/components/schemas/${title}`, description };
  };
  return { schemas, toSchemaObject };
}

const mapValues = <A, B>(values: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

type DocumentFault = { code: 'API_SCHEMA_TWICE'; title: string };
class DocumentError extends Fault<DocumentFault> {}
