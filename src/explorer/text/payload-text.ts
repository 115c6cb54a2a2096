/** Bytes in hex as text if they are UTF-8 without control characters and marks that change the direction of text; otherwise undefined. */
export function hexToText(hex: string): string | undefined {
  const digits = hex.replace(/^0x/, '');
  const bytes = Uint8Array.from({ length: digits.length / 2 }, (_, at) => Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
