import type { AnyCodec, Codec, TypeOf } from './codec.ts';
import { CodecError } from './fault.ts';

type Variants = { readonly [kind: string]: readonly [typeID: number, codec: AnyCodec] };
type UnionOf<V extends Variants> = { [K in keyof V & string]: { kind: K } & TypeOf<V[K][1]> }[keyof V & string];

/**
 * A codec of a Go interface value: a type id, then the concrete value, which gets its `kind`. `slot` (the Go interface) and `names` (all
 * type names) are for AvalancheGo's two errors: an unknown type id, and a known type that does not implement the interface.
 */
export function union<V extends Variants>(slot: string, names: { readonly [typeID: number]: string }, variants: V): Codec<UnionOf<V>> {
  type Value = UnionOf<V>;
  type Row = { kind: string; typeID: number; codec: Codec<object> };
  const rows = Object.entries(variants).map(([kind, [typeID, codec]]): Row => ({ kind, typeID, codec: codec as Codec<object> }));
  const byID = new Map(rows.map((row) => [row.typeID, row]));
  const byKind = new Map(rows.map((row) => [row.kind, row]));
  const rowOf = (value: Value): Row => byKind.get(value.kind) as Row;
  return {
    read: (r) => {
      const typeID = r.u32('interface');
      const row = byID.get(typeID);
      if (row === undefined) throw wrongType(typeID, slot, names[typeID]);
      const value = row.codec.read(r) as { kind: string };
      value.kind = row.kind;
      return value as Value;
    },
    write: (w, value) => {
      const row = rowOf(value);
      w.u32(row.typeID);
      row.codec.write(w, value);
    },
    json: (value, context) => rowOf(value).codec.json(value, context),
  };
}

function wrongType(typeID: number, slot: string, name: string | undefined): CodecError {
  return name === undefined
    ? new CodecError(`couldn't unmarshal interface: unknown type ID ${typeID}`, { code: 'CODEC_UNKNOWN_TYPE', typeID })
    : new CodecError(`couldn't unmarshal interface: *${name} does not implement interface ${slot}`, {
        code: 'CODEC_WRONG_TYPE',
        typeID,
        slot,
      });
}
