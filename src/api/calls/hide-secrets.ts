/**
 * Names of fields whose values are secrets, in lower case without separators: `privateKey`, `private_key` and `X-Service-API-Key` are found.
 * Values of the field `url` may contain a secret anywhere behind the host, as those of chat services do.
 */
const secretNames: ReadonlySet<string> = new Set([
  'privatekey',
  'privatekeys',
  'privkey',
  'secretkey',
  'secretkeys',
  'mnemonic',
  'seed',
  'seedphrase',
  'password',
  'passphrase',
  'secret',
  'secrets',
  'webhooksecret',
  'clientsecret',
  'token',
  'tokens',
  'devtoken',
  'accesstoken',
  'refreshtoken',
  'authtoken',
  'jwt',
  'apikey',
  'apikeys',
  'xserviceapikey',
  'xglacierapikey',
  'authorization',
  'cookie',
]);
const urlName = 'url';

/** What stands in place of a secret. */
export const hiddenMark = '(hidden)';

const normalize = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');
const isSecretName = (name: string): boolean => secretNames.has(normalize(name));

/** A private key as AvalancheGo writes it, wherever it stands. */
const privateKeyText = /PrivateKey-[1-9A-HJ-NP-Za-km-z]{20,}/g;

/** JSON without its secrets. */
export type ShownJson = {
  readonly text: string;
  /** The number of values that were hidden. */
  readonly hidden: number;
  /** Hidden texts, as they stand in the JSON, so that they can be hidden in the answer too. */
  readonly values: readonly string[];
};

/** Hides the secrets of JSON by the names of its fields, at any depth; the rest stays as it was sent. Undefined if it is not JSON. */
export function hideSecrets(json: string): ShownJson | undefined {
  if (!isJson(json)) return undefined;
  const tokens = [...json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)];
  const values: string[] = [];
  let [out, hidden, at] = ['', 0, 0];
  while (at < tokens.length) {
    const token = tokens[at]?.[0] ?? '';
    const name = tokens[at + 1]?.[0] === ':' ? (JSON.parse(token) as string) : undefined;
    if (name === undefined) {
      const shown = hideInText(token);
      if (shown !== token) hidden++;
      out += shown;
      at++;
      continue;
    }
    out += `${hideInText(token)}:`;
    at += 2;
    const value = tokens[at]?.[0] ?? '';
    const shown = isSecretName(name) ? `"${hiddenMark}"` : normalize(name) === urlName ? hostOnly(value) : undefined;
    // An empty value hides nothing, and null says that there is none.
    if (shown === undefined || value === '""' || value === 'null') continue;
    const end = endOfValue(tokens, at);
    for (; at < end; at++) {
      const part = tokens[at]?.[0] ?? '';
      if (part.startsWith('"') && part.length >= minHiddenText) values.push(part.slice(1, -1));
    }
    out += shown;
    hidden++;
  }
  return { text: out, hidden, values };
}

/** Characters with quotes of a hidden text that is looked for elsewhere: shorter ones stand everywhere by chance. */
const minHiddenText = 8;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The index behind a value: one token, or all of an object or a list. */
function endOfValue(tokens: readonly RegExpMatchArray[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at]?.[0] ?? '';
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    if (depth <= 0) return at + 1;
  }
  return tokens.length;
}

/** Text without private keys, and without the credentials and the secret parameters of URLs. */
export const hideInText = (text: string): string =>
  text
    .replaceAll(privateKeyText, `PrivateKey-${hiddenMark}`)
    .replaceAll(/(:\/\/)[^\s"/@]*@/g, `$1${hiddenMark}@`)
    .replaceAll(/([?&])([^\s"=&?]+)=([^\s"&#]+)/g, (whole, before: string, name: string) =>
      isSecretName(decode(name)) ? `${before}${name}=${hiddenMark}` : whole,
    );

/** The query of a request without its secrets. */
export const hideInQuery = (query: string): string => hideInText(`?${query}`).slice(1);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A URL without what follows its host; undefined if there is nothing to hide. */
function hostOnly(token: string): string | undefined {
  const found = /^"([a-z][a-z0-9+.-]*:\/\/)(?:[^/"@]*@)?([^/"?#]*)(.*)"$/i.exec(token);
  return found === null || /^\/?$/.test(found[3] ?? '') ? undefined : `"${found[1]}${found[2]}/${hiddenMark}"`;
}

/** Text without the values that were hidden elsewhere. */
export const hideValues = (text: string, values: readonly string[]): string =>
  values.reduce((shown, value) => shown.replaceAll(value, hiddenMark), text);
