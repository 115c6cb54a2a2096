import { kinds } from '../src/api/contract/kinds.ts';
import { type AnySchema, type Fields, isOptional, schemaOf } from '../src/api/contract/schema.ts';

/** The type of a parameter in one line, such as `uint32` or `string[]`, for the documentation. */
function typeName(schema: AnySchema): string {
  switch (schema.kind) {
    case 'numberOrText':
    case 'oneOrList':
      return schema.type;
    case 'list':
      return `${typeName(schema.items)}[]`;
    case 'object':
      return `{ ${fieldNames(schema.properties).join(', ')} }`;
    case 'oneOf':
      return 'string';
    default:
      return names[schema.kind] ?? schema.kind;
  }
}

/** `name: type` of each parameter; `name?: type` if it may be missing, `name or other: type` if it has another name. */
export const fieldNames = (fields: Fields, aliases: { readonly [alias: string]: string } = {}): string[] =>
  Object.entries(fields).map(([name, field]) => {
    const names = [name, ...Object.keys(aliases).filter((alias) => aliases[alias] === name)].join(' or ');
    return `${names}${isOptional(field) ? '?' : ''}: ${typeName(schemaOf(field))}`;
  });

const names: { readonly [kind: string]: string } = {
  text: 'string',
  longText: 'string',
  flag: 'boolean',
  id: 'ID',
  nodeID: 'NodeID',
  hexEncoding: 'encoding',
  u64: 'uint64',
  u32: 'uint32',
  u8: 'uint8',
  addressName: kinds.addressName.jsonSchema.format ?? '',
};
