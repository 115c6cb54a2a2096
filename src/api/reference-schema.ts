import { type Html, html } from './html.ts';
import type { OpenApiDocument, SchemaObject } from './openapi.ts';

/** Writes schemas for people: as a type name, as an outline, and as a sample. */
export type SchemaWriter = {
  /** `string`, `list of Utxo`, `asc or desc`. */
  readonly typeName: (schema: SchemaObject) => string;
  /** The list of properties; nested properties are folded. */
  readonly outline: (schema: SchemaObject) => Html;
  /** A JSON text that fits the schema. */
  readonly sample: (schema: SchemaObject) => string;
  /** The initial value for a form; empty if the schema has no example. */
  readonly example: (schema: SchemaObject) => string;
};

export function createSchemaWriter({ components }: OpenApiDocument): SchemaWriter {
  const resolve = (schema: SchemaObject): SchemaKeywords => {
    const name = refName(schema);
    return (name === undefined ? schema : { ...components.schemas[name], ...schema }) as SchemaKeywords;
  };

  const typeName = (schema: SchemaObject): string => {
    const name = refName(schema);
    if (name !== undefined) return name;
    const { type, items, enum: values, oneOf, additionalProperties, format } = schema as SchemaKeywords;
    if (oneOf !== undefined) return oneOf.map(typeName).join(' or ');
    if (values !== undefined) return values.join(' | ');
    if (items !== undefined) return `list of ${typeName(items)}`;
    if (typeof additionalProperties === 'object') return `map of ${typeName(additionalProperties)}`;
    return format ?? [type ?? 'anything'].flat().join(' or ');
  };

  /** `enclosing`: the names of the enclosing schemas, so that a schema that contains itself does not recurse forever. */
  const outline = (schema: SchemaObject, enclosing: readonly string[] = []): Html => {
    const name = refName(schema);
    if (name !== undefined && enclosing.includes(name)) return html``;
    const inside = name === undefined ? enclosing : [...enclosing, name];
    const { properties, items, additionalProperties, oneOf, required = [] } = resolve(schema);
    if (items !== undefined) return outline(items, inside);
    if (oneOf !== undefined) return html`${oneOf.map((each) => outline(each, inside))}`;
    if (properties === undefined) return typeof additionalProperties === 'object' ? outline(additionalProperties, inside) : html``;
    const rows = Object.entries(properties).map(([key, property]) => {
      const below = outline(property, inside);
      const line = html`<code>${key}</code>${required.includes(key) ? undefined : html`<i>optional</i>`} <span class="type">${typeName(property)}</span>`;
      const { description } = resolve(property);
      const about = description === undefined ? undefined : html`<p>${description}</p>`;
      return below.html === ''
        ? html`<li>${line}${about}</li>`
        : html`<li><details><summary>${line}</summary>${about}${below}</details></li>`;
    });
    return html`<ul class="outline">${rows}</ul>`;
  };

  const sampleOf = (schema: SchemaObject, enclosing: readonly string[]): unknown => {
    const name = refName(schema);
    if (name !== undefined && enclosing.includes(name)) return {};
    const inside = name === undefined ? enclosing : [...enclosing, name];
    const { examples, default: preset, enum: values, properties, items, additionalProperties, oneOf, type, format } = resolve(schema);
    if (examples !== undefined) return examples[0];
    if (preset !== undefined) return preset;
    if (values !== undefined) return values[0];
    if (oneOf !== undefined) return sampleOf(oneOf[0] as SchemaObject, inside);
    if (items !== undefined) return [sampleOf(items, inside)];
    if (properties !== undefined) return Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, sampleOf(each, inside)]));
    if (typeof additionalProperties === 'object') return { name: sampleOf(additionalProperties, inside) };
    const first = [type].flat()[0] ?? 'null';
    return format === 'uuid' ? '00000000-0000-4000-8000-000000000000' : defaultSamples[first];
  };

  return {
    typeName: typeName,
    outline,
    sample: (schema) => JSON.stringify(sampleOf(schema, []), undefined, 2) ?? '',
    example: (schema) => String(resolve(schema).examples?.[0] ?? ''),
  };
}

/** The keywords of a schema that the page shows. */
type SchemaKeywords = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly items?: SchemaObject;
  readonly additionalProperties?: boolean | SchemaObject;
  readonly oneOf?: readonly SchemaObject[];
};

const refName = (schema: SchemaObject): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : undefined;

const defaultSamples: Readonly<Record<string, unknown>> = {
  string: '...',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
  null: null,
};
