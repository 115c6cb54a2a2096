/**
 * All values of one key in a query string, by the rules of Go's url.ParseQuery when its errors are ignored:
 * a pair with a semicolon or a bad escape is skipped, keys are case-sensitive, a key without `=` has an empty value.
 */
export function queryValues(query: string, key: string): string[] {
  const values: string[] = [];
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const name = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescapeQuery(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === key && value !== undefined) values.push(value);
  }
  return values;
}

/** Returns undefined if a percent sign is not followed by two hex digits. */
function unescapeQuery(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const latin = Buffer.from(text.replaceAll('+', ' '), 'utf8').toString('latin1');
  const bytes = latin.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
