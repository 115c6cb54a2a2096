import { Fault } from '../fault.ts';

/** `serac keys ...` as typed. */
export type KeysCommand = Create | List | Revoke;
type Create = {
  readonly action: 'create';
  readonly json: boolean;
  readonly name: string | undefined;
  readonly plan: string | undefined;
  readonly expires: string | undefined;
  readonly routes: readonly string[];
};
type List = { readonly action: 'list'; readonly json: boolean };
type Revoke = { readonly action: 'revoke'; readonly json: boolean; readonly key: string };

export const keysUsage = `Usage: serac keys create [--name NAME] [--plan PLAN] [--expires WHEN] [--routes A,B] [--json]
       serac keys list [--json]
       serac keys revoke KEY [--json]

  --name NAME      what it is for
  --plan PLAN      its rate limits (free)
  --expires WHEN   such as 30d, 12h or 2027-01-01; without it the key does not expire
  --routes A,B     what it may be used for: data, listUtxos, data:list*; without it everything
  --json           print JSON

KEY is the id of a key or the beginning of it, of the key or of the id, as long as only one begins so.`;

/**
 * Reads the words after `serac keys`. Flags that belong to the caller (where the keys are) are named to it and handed back apart.
 * Both `--flag value` and `--flag=value` will do.
 */
export function readKeysCommand(
  words: readonly string[],
  callersFlags: readonly string[] = [],
): { readonly command: KeysCommand; readonly others: ReadonlyMap<string, string> } {
  const [action = '', ...rest] = words;
  const own = Object.hasOwn(flagsOf, action) ? flagsOf[action as KeysCommand['action']] : undefined;
  if (own === undefined) throw badCommand(action === '' ? 'keys: say what to do' : `keys: there is no "${action}"`);
  const { given, switches, plain } = split(rest, [...own, ...callersFlags]);
  const others = new Map([...given].filter(([name]) => callersFlags.includes(name)));
  return { command: commandOf(action as KeysCommand['action'], given, switches.has('json'), plain), others };
}

const flagsOf: { readonly [A in KeysCommand['action']]: readonly string[] } = {
  create: ['name', 'plan', 'expires', 'routes'],
  list: [],
  revoke: [],
};

function commandOf(
  action: KeysCommand['action'],
  given: ReadonlyMap<string, string>,
  json: boolean,
  plain: readonly string[],
): KeysCommand {
  const [key, surplus] = action === 'revoke' ? plain : [undefined, plain[0]];
  if (surplus !== undefined) throw badCommand(`keys ${action}: "${surplus}" is too much`);
  switch (action) {
    case 'create':
      return {
        action,
        json,
        name: given.get('name'),
        plan: given.get('plan'),
        expires: given.get('expires'),
        routes: listOf(given.get('routes')),
      };
    case 'list':
      return { action, json };
    case 'revoke':
      if (key === undefined) throw badCommand('keys revoke: say which key');
      return { action, json, key };
  }
}

const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

type Words = { readonly given: Map<string, string>; readonly switches: Set<string>; readonly plain: string[] };

function split(words: readonly string[], known: readonly string[]): Words {
  const found: Words = { given: new Map(), switches: new Set(), plain: [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const [, name, value] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) found.plain.push(word);
    else if (name === 'json' && value === undefined) found.switches.add(name);
    else if (!known.includes(name)) throw badCommand(`keys: there is no flag --${name} here`);
    else found.given.set(name, value ?? valueAfter(words[++at], name));
  }
  return found;
}

function valueAfter(word: string | undefined, name: string): string {
  if (word === undefined || word.startsWith('--')) throw badCommand(`keys: --${name} needs a value`);
  return word;
}

export type KeysFault =
  | { code: 'ACCESS_BAD_KEYS_COMMAND' }
  | { code: 'ACCESS_NO_SUCH_KEY'; key: string }
  | { code: 'ACCESS_KEY_NOT_UNIQUE'; ids: readonly string[] };
export class KeysError extends Fault<KeysFault> {}

export const badCommand = (reason: string): KeysError => new KeysError(`${reason}\n\n${keysUsage}`, { code: 'ACCESS_BAD_KEYS_COMMAND' });
