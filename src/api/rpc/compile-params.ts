import { kinds } from '../contract/kinds.ts';
import type { MethodRow } from '../contract/method.ts';
import { type AnySchema, type Fields, schemaOf } from '../contract/schema.ts';
import type { ParamsOf } from '../contract/views.ts';
import { bool, encoding, idParam, list, longStr, nodeId, obj, type RpcParam, str, strictObj, u8, u32, u64 } from './params.ts';
import { durationParam, numberOrText, oneOrList, timeParam } from './text-params.ts';

/** Compiles the parameters of a method to a reader by Go's rules. */
export const compileParams = <F extends Fields>({ params, isStrict, aliases }: ParamsRow<F>): RpcParam<ParamsOf<F>> => {
  const fields = compileFields(params);
  return (isStrict ? strictObj(fields, aliases) : obj(fields)) as RpcParam<unknown> as RpcParam<ParamsOf<F>>;
};

type ParamsRow<F extends Fields> = Pick<MethodRow<F>, 'params' | 'isStrict' | 'aliases'>;

const compileFields = (fields: Fields): { readonly [name: string]: RpcParam<unknown> } =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, compileParam(schemaOf(field))]));

function compileParam(schema: AnySchema): RpcParam<unknown> {
  const reader = readerOf(schema);
  return 'default' in schema ? { ...reader, zero: schema.default } : reader;
}

function readerOf(schema: AnySchema): RpcParam<unknown> {
  switch (schema.kind) {
    case 'text':
    case 'oneOf':
      return str;
    case 'longText':
      return longStr;
    case 'flag':
      return bool;
    case 'id':
      return idParam;
    case 'nodeID':
      return nodeId;
    case 'encoding':
    case 'hexEncoding':
      return encoding;
    case 'u64':
      return u64;
    case 'u32':
      return u32;
    case 'u8':
      return u8;
    case 'time':
      return timeParam;
    case 'duration':
      return durationParam;
    case 'numberOrText':
      return numberOrText(schema.type);
    case 'addressName':
      return numberOrText(kinds.addressName.jsonSchema.format ?? '');
    case 'oneOrList':
      return oneOrList(compileParam(schema.items), schema.type, schema.max);
    case 'list':
      return list(compileParam(schema.items), schema.max);
    case 'object':
      return obj(compileFields(schema.properties));
    default:
      throw new TypeError(`the Node RPC has no parameters of the kind ${schema.kind}`);
  }
}
