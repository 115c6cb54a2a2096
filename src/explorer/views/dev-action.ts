import type { MethodJson, MethodName } from '../../api/contract/answers.ts';

/** The groups of the dev panel, in their order. */
export const actionGroups = {
  accounts: 'Accounts',
  money: 'Money across chains',
  assets: 'Assets and NFTs',
  chain: 'Chain',
  time: 'Time',
  faults: 'Faults',
  calls: 'Calls',
} as const;

export type ActionGroup = keyof typeof actionGroups;

type FieldBase = {
  /** The parameter of the method. */
  readonly name: string;
  readonly label: string;
  readonly isOptional?: true;
};

/** What a field asks for, which says how it is filled in: chosen from a list, or typed. */
export type ActionField = FieldBase &
  (
    | {
        /** `payer`: an account, or an impersonated address. `address`: an account, an address with a label, or any other. */
        readonly kind: 'payer' | 'address' | 'impersonated';
      }
    | {
        readonly kind: 'asset';
        /** What its units are. */
        readonly unit: 'secp256k1' | 'nft' | 'property';
        /** Whether only assets are listed that an account can mint. */
        readonly isMinted?: true;
        /** The field with the address whose balances are listed; without it, those of account 0. */
        readonly holder?: string;
      }
    /** In units of the asset of the field `assetID`, or of the asset that the form creates. */
    | { readonly kind: 'amount'; readonly start: string }
    /** An output that the accounts have, or one between two chains, or a transaction that waits. */
    | { readonly kind: 'nft' | 'property' | 'export' | 'pending' }
    | { readonly kind: 'chain' }
    | { readonly kind: 'text'; readonly start?: string; readonly max: number; readonly hint?: string; readonly isCode?: true }
    | { readonly kind: 'integer'; readonly start: number; readonly min: number; readonly max: number }
    | { readonly kind: 'flag'; readonly isOn: boolean }
    | { readonly kind: 'time' }
  );

type DevMethodName = Extract<MethodName, `dev.${string}`>;

/** What the reader has filled in, as the page shows it: `12.5 AVAX`, `account 1`. */
type Shown = Readonly<Record<string, string>>;

type ActionRow<M extends DevMethodName> = {
  readonly title: string;
  readonly group: ActionGroup;
  /** What it does, for the list of the group. */
  readonly about: string;
  readonly button: string;
  readonly method: M;
  readonly fields: readonly ActionField[];
  /** What was done, as a sentence. */
  readonly said: (shown: Shown, result: MethodJson<M>) => string;
  /** Whether the page takes a snapshot before, from which the action can be undone. */
  readonly isUndoable?: true;
};

export type DevAction = ActionRow<DevMethodName>;

/** A row of the tables of actions; `said` gets the result of its method. */
export const action = <M extends DevMethodName>(row: ActionRow<M>): DevAction => row as unknown as DevAction;
