import type { AnyCodec, Codec, TypeOf } from './codec.ts';

type Fields = { readonly [name: string]: AnyCodec };
type StructOf<F extends Fields> = { -readonly [K in keyof F]: TypeOf<F[K]> };
type Struct<F extends Fields> = Codec<StructOf<F>> & {
  readonly fields: F;
  /** Where a field begins, in bytes from the start. Throws for one behind a field whose size depends on the value. */
  readonly offsetOf: (name: keyof F & string) => number;
};

/**
 * A codec of a struct. Field order is wire order, field names are the JSON names. `jsonOrder` is the order in JSON where AvalancheGo uses
 * another one (its outputs and owners are Go maps, which are written sorted). Spread an embedded type: `...OutputOwners.fields`.
 */
export function struct<F extends Fields>(fields: F, jsonOrder: readonly (keyof F & string)[] = Object.keys(fields)): Struct<F> {
  const names = Object.keys(fields);
  const codecs = Object.values(fields) as Codec<unknown>[];
  const json = jsonOrder.map((name) => [`"${name}":`, name, fields[name]] as [string, string, Codec<unknown>]);
  const sizeOf = (all: readonly Codec<unknown>[]): number | undefined =>
    all.reduce<number | undefined>((sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size), 0);
  return {
    fields,
    size: sizeOf(codecs),
    offsetOf: (name) => {
      const offset = sizeOf(codecs.slice(0, names.indexOf(name)));
      if (offset === undefined) throw new RangeError(`${name} begins where the fields before it end`);
      return offset;
    },
    read: (r) => {
      const out: Record<string, unknown> = {};
      // By index, here and below: a loop over pairs of name and codec would unpack one for every field.
      for (let i = 0; i < names.length; i++) out[names[i] as string] = (codecs[i] as Codec<unknown>).read(r);
      return out as StructOf<F>;
    },
    write: (w, v) => {
      for (let i = 0; i < names.length; i++) (codecs[i] as Codec<unknown>).write(w, (v as Record<string, unknown>)[names[i] as string]);
    },
    json: (v, context) => {
      let text = '{';
      for (const [key, name, codec] of json)
        text += `${text.length > 1 ? ',' : ''}${key}${codec.json((v as Record<string, unknown>)[name], context)}`;
      return `${text}}`;
    },
  };
}
