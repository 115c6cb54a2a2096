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
  --routes A,B     what it may be used for: data, metrics, getUtxosByAddresses, data:list*; without it everything
  --json           print JSON

KEY is the id of a key or the beginning of it, of the key or of the id, as long as only one begins so.`;

export type KeysFault =
  | { code: 'ACCESS_BAD_KEYS_COMMAND' }
  | { code: 'ACCESS_NO_SUCH_KEY'; key: string }
  | { code: 'ACCESS_KEY_NOT_UNIQUE'; ids: readonly string[] };
export class KeysError extends Fault<KeysFault> {}

export const badCommand = (reason: string): KeysError => new KeysError(`${reason}\n\n${keysUsage}`, { code: 'ACCESS_BAD_KEYS_COMMAND' });
