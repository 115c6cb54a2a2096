/** Encodes PEM (RFC 7468): base64 in lines of 64 characters, as Go's encoding/pem does. */
export function pemEncode(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** Returns the bytes of the first block with this label; undefined if there is none or it is invalid. */
export function pemDecode(label: string, text: string): Uint8Array | undefined {
  const begin = `-----BEGIN ${label}-----`;
  const from = text.indexOf(begin);
  const to = from < 0 ? -1 : text.indexOf(`-----END ${label}-----`, from);
  if (to < 0) return undefined;
  const base64 = text.slice(from + begin.length, to).replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return undefined;
  return Buffer.from(base64, 'base64');
}
