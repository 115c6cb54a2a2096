import { type Html, html } from './html.ts';
import type { Document, SchemaObject } from './openapi.ts';

/** Schemas as people read them: in a word, as an outline, and as a sample. */
export type SchemaWriter = {
  /** `string`, `list of Utxo`, `asc or desc`. */
  readonly word: (schema: SchemaObject) => string;
  /** Properties, those below them folded. */
  readonly outline: (schema: SchemaObject) => Html;
  /** JSON that would fit. */
  readonly sample: (schema: SchemaObject) => string;
  /** A value that a form may begin with; the empty text if none is known. */
  readonly example: (schema: SchemaObject) => string;
};

export function schemaWriter({ components }: Document): SchemaWriter {
  const resolve = (schema: SchemaObject): Words => {
    const name = refName(schema);
    return (name === undefined ? schema : { ...components.schemas[name], ...schema }) as Words;
  };

  const word = (schema: SchemaObject): string => {
    const name = refName(schema);
    if (name !== undefined) return name;
    const { type, items, enum: values, oneOf, additionalProperties, format } = schema as Words;
    if (oneOf !== undefined) return oneOf.map(word).join(' or ');
    if (values !== undefined) return values.join(' | ');
    if (items !== undefined) return `list of ${word(items)}`;
    if (typeof additionalProperties === 'object') return `map of ${word(additionalProperties)}`;
    return format ?? [type ?? 'anything'].flat().join(' or ');
  };

  /** Names of the schemas around it keep one that contains itself from being written for ever. */
  const outline = (schema: SchemaObject, around: readonly string[] = []): Html => {
    const name = refName(schema);
    if (name !== undefined && around.includes(name)) return html``;
    const inside = name === undefined ? around : [...around, name];
    const { properties, items, additionalProperties, oneOf, required = [] } = resolve(schema);
    if (items !== undefined) return outline(items, inside);
    if (oneOf !== undefined) return html`${oneOf.map((each) => outline(each, inside))}`;
    if (properties === undefined) return typeof additionalProperties === 'object' ? outline(additionalProperties, inside) : html``;
    const rows = Object.entries(properties).map(([key, property]) => {
      const below = outline(property, inside);
      const line = html`<code>${key}</code>${required.includes(key) ? undefined : html`<i>optional</i>`} <span class="type">${word(property)}</span>`;
      const { description } = resolve(property);
      const about = description === undefined ? undefined : html`<p>${description}</p>`;
      return below.html === ''
        ? html`<li>${line}${about}</li>`
        : html`<li><details><summary>${line}</summary>${about}${below}</details></li>`;
    });
    return html`<ul class="outline">${rows}</ul>`;
  };

  const sampleOf = (schema: SchemaObject, around: readonly string[]): unknown => {
    const name = refName(schema);
    if (name !== undefined && around.includes(name)) return {};
    const inside = name === undefined ? around : [...around, name];
    const { examples, default: preset, enum: values, properties, items, additionalProperties, oneOf, type, format } = resolve(schema);
    if (examples !== undefined) return examples[0];
    if (preset !== undefined) return preset;
    if (values !== undefined) return values[0];
    if (oneOf !== undefined) return sampleOf(oneOf[0] as SchemaObject, inside);
    if (items !== undefined) return [sampleOf(items, inside)];
    if (properties !== undefined) return Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, sampleOf(each, inside)]));
    if (typeof additionalProperties === 'object') return { name: sampleOf(additionalProperties, inside) };
    const first = [type].flat()[0] ?? 'null';
    return format === 'uuid' ? '00000000-0000-4000-8000-000000000000' : blanks[first];
  };

  return {
    word,
    outline,
    sample: (schema) => JSON.stringify(sampleOf(schema, []), undefined, 2) ?? '',
    example: (schema) => String(resolve(schema).examples?.[0] ?? ''),
  };
}

/** The words of a schema that a page shows. */
type Words = {
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

const blanks: Readonly<Record<string, unknown>> = {
  string: '...',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
  null: null,
};
