import { type EventKindRow, eventKinds } from '../src/api/contract/event-kinds.ts';
import { type JsonSchema, jsonSchemaOf } from '../src/api/contract/json-schema.ts';

/** The events and their properties, for docs/reference/events.md. */
export function renderEventsPage(): string {
  const kinds = Object.entries(eventKinds) as [string, EventKindRow][];
  const overview = kinds.map(([kind, { meaning, isResumable }]) => `| \`${kind}\` | ${isResumable ? 'yes' : 'no'} | ${meaning} |`);
  const details = kinds.map(([kind, { schema }]) =>
    [`### ${kind}`, '', '| property | type | meaning |', '|---|---|---|', ...propertyRows(jsonSchemaOf(schema), '')].join('\n'),
  );
  return [['| kind | has an ID | meaning |', '|---|---|---|', ...overview].join('\n'), ...details].join('\n\n');
}

function propertyRows({ properties = {}, required = [] }: JsonSchema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = schema.items ?? schema;
    // The properties of a transaction are those of `avm.getTx`.
    const isNested = inner.properties !== undefined && inner.title !== 'Transaction';
    const note = [required.includes(name) ? undefined : 'May be missing.', schema.description]
      .filter((text) => text !== undefined)
      .join(' ');
    const path = `${prefix}${name}${schema.items === undefined ? '' : '[]'}`;
    return [`| \`${path}\` | ${typeOf(schema)} | ${note} |`, ...(isNested ? propertyRows(inner, `${path}.`) : [])];
  });
}

const typeOf = ({ type, enum: values, items }: JsonSchema): string =>
  values !== undefined ? values.map((value) => `\`${value}\``).join(', ') : items !== undefined ? `list of ${typeOf(items)}` : String(type);
