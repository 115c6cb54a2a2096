import { Fault } from '../../base/fault.ts';

/** A `serac keys` command with its arguments, not validated yet. */
export type KeysCommand = CreateCommand | ListCommand | RevokeCommand;
type CreateCommand = {
  readonly action: 'create';
  readonly json: boolean;
  readonly name: string | undefined;
  readonly plan: string | undefined;
  readonly expires: string | undefined;
  readonly routes: readonly string[];
};
type ListCommand = { readonly action: 'list'; readonly json: boolean };
type RevokeCommand = { readonly action: 'revoke'; readonly json: boolean; readonly key: string };

const keysUsage = `Usage: serac keys create [--name NAME] [--plan PLAN] [--expires WHEN] [--routes A,B] [--json]
       serac keys list [--json]
       serac keys revoke KEY [--json]

  --name NAME      a label, for example the user of the key
  --plan PLAN      the plan with its rate limits (default: free)
  --expires WHEN   a duration or date, such as 30d, 12h or 2027-01-01 (default: never)
  --routes A,B     routes that the key may be used for, such as data, getUtxosByAddresses or data:list* (default: all)
  --json           print JSON

KEY is the id of a key, the key itself, or the first characters of either, if no other key starts with them.`;

type KeysFault =
  | { code: 'ACCESS_BAD_KEYS_COMMAND' }
  | { code: 'ACCESS_NO_SUCH_KEY'; key: string }
  | { code: 'ACCESS_KEY_NOT_UNIQUE'; ids: readonly string[] };
export class KeysError extends Fault<KeysFault> {}

export const keysUsageError = (reason: string): KeysError =>
  new KeysError(`${reason}\n\n${keysUsage}`, { code: 'ACCESS_BAD_KEYS_COMMAND' });
