/** A payload as text if all of it is printable ASCII, else as hex. Shown as text only, never run or loaded. */
export function payloadText(payload: string): string {
  const text = hexToText(payload);
  return text === undefined || text === '' ? payload.slice(0, 400) : text.slice(0, 400);
}

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
