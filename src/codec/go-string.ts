/**
 * A string literal as Go's encoding/json writes it: `<`, `>`, `&` and U+2028/9 are escaped, bytes that are no UTF-8 become U+FFFD.
 */
export function goString(value: string | Uint8Array): string {
  const text = typeof value === 'string' ? value : Buffer.from(value).toString('utf8');
  const quoted = JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
  return plain.test(quoted) ? quoted : quoted.replace(special, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const plain = /^[^<>&\u2028\u2029\x7f-\x9f]*$/;
const special = /[<>&\u2028\u2029]/g;
