import { type Address, addressLength } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idLength } from '../bytes/id.ts';
import type { Codec } from './codec.ts';
import { CodecError } from './fault.ts';
import { goStringFromBytes } from './go-string.ts';

export const u8: Codec<number> = { size: 1, read: (r) => r.u8(), write: (w, v) => w.u8(v), json: String };

export const u32: Codec<number> = { size: 4, read: (r) => r.u32(), write: (w, v) => w.u32(v), json: String };

/** JSON: a number without quotes, also above 2^53, as AvalancheGo writes a uint64. */
export const u64: Codec<bigint> = { size: 8, read: (r) => r.u64(), write: (w, v) => w.u64(v), json: String };

export const id: Codec<Id> = {
  size: idLength,
  read: (r) => r.id() as Id,
  write: (w, v) => w.hex(v),
  json: (v, context) => `"${context.id(v)}"`,
};

export const address: Codec<Address> = {
  size: addressLength,
  read: (r) => r.address() as Address,
  write: (w, v) => w.hex(v),
  json: (v, context) => `"${context.address(v)}"`,
};

/** A u32 length and the bytes. JSON: hex without a checksum. */
export const bytes: Codec<Uint8Array> = {
  read: (r) => r.fixed(r.count()),
  write: (w, v) => {
    w.u32(v.length);
    w.fixed(v);
  },
  json: (v) => `"0x${toHex(v)}"`,
};

export const fixedBytes = (size: number): Codec<Uint8Array> => ({
  size,
  read: (r) => r.fixed(size),
  write: (w, v) => w.fixed(v),
  json: (v) => `"0x${toHex(v)}"`,
});

/** A u16 length and the bytes of a Go string. Kept as bytes: invalid UTF-8 must survive a round trip and be rejected by the rules. */
export const text: Codec<Uint8Array> = {
  read: (r) => r.fixed(r.u16('string'), 'string'),
  write: (w, v) => {
    w.u16(v.length);
    w.fixed(v);
  },
  json: goStringFromBytes,
};

export const list = <T>(element: Codec<T>): Codec<T[]> => ({
  read: (r) => {
    const count = r.count();
    const out: T[] = [];
    for (let i = 0; i < count; i++) {
      const before = r.offset;
      out.push(element.read(r));
      // A huge count of empty elements would loop for a long time. AvalancheGo: codec/codec.go, ErrUnmarshalZeroLength.
      if (r.offset === before)
        throw new CodecError("couldn't unmarshal slice of zero length values: can't unmarshal zero length value", {
          code: 'CODEC_EMPTY_ELEMENT',
        });
    }
    return out;
  },
  write: (w, v) => {
    w.u32(v.length);
    for (const item of v) element.write(w, item);
  },
  json: (v, context) => `[${v.map((item) => element.json(item, context)).join(',')}]`,
});
