import { refName, resolveSchema, type Schemas, typeName } from '../reference/reference-schema.ts';
import type { Schema } from '../reference/reference-types.ts';

type OutlineProps = {
  readonly schemas: Schemas;
  readonly schema: Schema;
  /** Names of the enclosing schemas: one that contains itself is not opened again. */
  readonly enclosing?: readonly string[];
};

/** The properties of a schema; nested properties are folded. Empty for a schema without properties. */
export function SchemaOutline({ schemas, schema, enclosing = [] }: OutlineProps) {
  const name = refName(schema);
  if (name !== undefined && enclosing.includes(name)) return null;
  const inside = name === undefined ? enclosing : [...enclosing, name];
  const { properties, items, additionalProperties, oneOf, required = [] } = resolveSchema(schemas, schema);
  if (items !== undefined) return <SchemaOutline schemas={schemas} schema={items} enclosing={inside} />;
  if (oneOf !== undefined)
    return (
      <>
        {oneOf.map((one) => (
          <SchemaOutline schemas={schemas} schema={one} enclosing={inside} />
        ))}
      </>
    );
  if (properties === undefined)
    return typeof additionalProperties === 'object' ? (
      <SchemaOutline schemas={schemas} schema={additionalProperties} enclosing={inside} />
    ) : null;
  return (
    <ul class="outline">
      {Object.entries(properties).map(([key, property]) => {
        const { description } = resolveSchema(schemas, property);
        const line = (
          <>
            <code>{key}</code>
            {!required.includes(key) && <i>optional</i>} <small>{typeName(property)}</small>
          </>
        );
        const about = description !== undefined && <p class="note">{description}</p>;
        return hasProperties(schemas, property, inside) ? (
          <li>
            <details>
              <summary>{line}</summary>
              {about}
              <SchemaOutline schemas={schemas} schema={property} enclosing={inside} />
            </details>
          </li>
        ) : (
          <li>
            {line}
            {about}
          </li>
        );
      })}
    </ul>
  );
}

/** Whether an outline of the schema would show anything. */
export function hasProperties(schemas: Schemas, schema: Schema, enclosing: readonly string[] = []): boolean {
  const name = refName(schema);
  if (name !== undefined && enclosing.includes(name)) return false;
  const inside = name === undefined ? enclosing : [...enclosing, name];
  const { properties, items, additionalProperties, oneOf } = resolveSchema(schemas, schema);
  if (items !== undefined) return hasProperties(schemas, items, inside);
  if (oneOf !== undefined) return oneOf.some((one) => hasProperties(schemas, one, inside));
  if (properties !== undefined) return Object.keys(properties).length > 0;
  return typeof additionalProperties === 'object' && hasProperties(schemas, additionalProperties, inside);
}
