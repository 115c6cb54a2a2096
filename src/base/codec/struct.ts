import type { AnyCodec, Codec, TypeOf } from './codec.ts';

type Fields = { readonly [name: string]: AnyCodec };
type StructOf<F extends Fields> = { -readonly [K in keyof F]: TypeOf<F[K]> };
type Struct<F extends Fields> = Codec<StructOf<F>> & { readonly fields: F };

/**
 * A codec of a struct. Field order is wire order, field names are the JSON names. `jsonOrder` is the order in JSON where AvalancheGo uses
 * another one (its outputs and owners are Go maps, which are written sorted). Spread an embedded type: `...OutputOwners.fields`.
 */
export function struct<F extends Fields>(fields: F, jsonOrder: readonly (keyof F & string)[] = Object.keys(fields)): Struct<F> {
  const names = Object.keys(fields);
  const codecs = Object.values(fields) as Codec<unknown>[];
  const json = jsonOrder.map((name) => [`"${name}":`, name, fields[name]] as [string, string, Codec<unknown>]);
  return {
    fields,
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
