import type { DevAsset, DevChoices } from '../load/dev-choices.ts';
import { amountText, groupDigits, splitAddress } from '../text/text-format.ts';
import type { ActionField, DevAction } from './dev-action.ts';

/** The texts of the fields of a form by their names. An address that is not in the list is in `NAME-other`. */
export type FieldValues = Readonly<Record<string, string>>;

export const otherField = (name: string): string => `${name}-other`;

/** An error at a field. */
export type FieldError = { readonly field: string; readonly text: string };

/** The parameters of a call, and what the reader has filled in, for the sentence about it. */
type Filled = { readonly params: Readonly<Record<string, unknown>>; readonly shown: Readonly<Record<string, string>> };

/** The entries of a field's list; undefined for a field that is typed. */
export function optionsOf(
  field: ActionField,
  values: FieldValues,
  choices: DevChoices,
): readonly { value: string; text: string }[] | undefined {
  switch (field.kind) {
    case 'payer':
      return choices.payers.map(({ address, name }) => ({ value: address, text: name }));
    case 'impersonated':
      return choices.impersonated.map(({ address, name }) => ({ value: address, text: name }));
    case 'address':
      return choices.receivers.map(({ address, name }) => ({ value: address, text: name }));
    case 'asset':
      return assetsOf(field, choices).map((asset) => ({ value: asset.assetId, text: assetText(asset, field, values, choices) }));
    case 'chain':
      return ['P', 'C'].map((value) => ({ value, text: `${value}-Chain` }));
    case 'nft':
    case 'property':
    case 'export':
    case 'pending':
      return choices.outputs[field.kind];
    default:
      return undefined;
  }
}

type AssetField = Extract<ActionField, { readonly kind: 'asset' }>;

const assetsOf = ({ unit, isMinted }: AssetField, { assets }: DevChoices): readonly DevAsset[] =>
  assets.filter((asset) => asset.unitType === unit && (isMinted === undefined || asset.isMinted));

/** `ICE, Serac Ice: 1,000`, with what the holder can spend, or the supply of what is minted. */
function assetText(asset: DevAsset, { isMinted, holder }: AssetField, values: FieldValues, { balances, payers }: DevChoices): string {
  const owner = (holder === undefined ? undefined : values[holder]) ?? payers[0]?.address ?? '';
  const amount = isMinted === undefined ? balances[owner]?.[asset.assetId] : asset.supply;
  const known = amount ?? (owner in balances ? '0' : undefined);
  return `${asset.symbol}, ${asset.name}${known === undefined ? '' : `: ${amountText(known, asset.unitType === 'secp256k1' ? asset.denomination : 0)}`}`;
}

/** What a field has before the reader changes it. */
function startOf(field: ActionField, choices: DevChoices): string {
  if (field.kind === 'integer') return String(field.start);
  if (field.kind === 'flag') return field.isOn ? 'on' : '';
  if (field.kind === 'text' || field.kind === 'amount') return field.start ?? '';
  const options = optionsOf(field, {}, choices) ?? [];
  // Account 0 is the one that pays, so another one receives.
  return (field.kind === 'address' ? (options[1] ?? options[0]) : options[0])?.value ?? '';
}

/** The texts of all fields: what the reader has typed or chosen, if the list still has it, else what the field starts with. */
export function currentValues({ fields }: DevAction, typed: FieldValues, choices: DevChoices): FieldValues {
  const values: Record<string, string> = { ...typed };
  for (const field of fields) {
    const given = typed[field.name];
    const options = optionsOf(field, typed, choices);
    const isOffered = given !== undefined && (options === undefined || options.some(({ value }) => value === given));
    values[field.name] = isOffered || (field.kind === 'address' && given === '') ? given : startOf(field, choices);
  }
  return values;
}

/** The asset in whose units an amount of the form is: the chosen one, or the one that the form creates. */
export function unitOf(
  { fields }: DevAction,
  values: FieldValues,
  { assets }: DevChoices,
): Pick<DevAsset, 'symbol' | 'denomination'> | undefined {
  if (fields.some(({ kind }) => kind === 'asset')) return assets.find(({ assetId }) => assetId === values.assetID);
  return { symbol: values.symbol ?? '', denomination: Number(values.denomination ?? 0) };
}

/** The parameters of the call, or the first field that cannot be sent as it is. */
export function fillParams(row: DevAction, values: FieldValues, choices: DevChoices): Filled | FieldError {
  const params: Record<string, unknown> = {};
  const shown: Record<string, string> = {};
  const unit = unitOf(row, values, choices);
  for (const field of row.fields) {
    const text = (values[field.name] ?? '').trim();
    const other = (values[otherField(field.name)] ?? '').trim();
    const given = field.kind === 'address' && text === '' ? other : text;
    if (given === '' && field.isOptional === undefined && field.kind !== 'flag') return { field: field.name, text: missingText(field) };
    if (field.kind === 'amount') {
      const amount = parseUnits(given, unit);
      if (typeof amount !== 'bigint') return { field: field.name, text: amount.text };
      params[field.name] = String(amount);
      shown[field.name] = `${amountText(amount, unit?.denomination ?? 0)} ${unit?.symbol ?? ''}`;
      continue;
    }
    params[field.name] = paramOf(field, given);
    shown[field.name] = shownText(field, given, values, choices);
  }
  return { params, shown };
}

function paramOf(field: ActionField, text: string): unknown {
  if (field.kind === 'integer') return Number(text);
  if (field.kind === 'flag') return text !== '';
  if (field.kind === 'time') return timeParam(text);
  // An empty name removes a label; other parameters that are empty are left out.
  return text === '' && field.name !== 'name' ? undefined : text;
}

const timeParam = (text: string): string => `${text.length === 16 ? `${text}:00` : text}Z`;

function shownText(field: ActionField, text: string, values: FieldValues, choices: DevChoices): string {
  if (field.kind === 'time') return timeParam(text);
  if (field.kind === 'asset') return choices.assets.find(({ assetId }) => assetId === text)?.symbol ?? text;
  const chosen = optionsOf(field, values, choices)?.find(({ value }) => value === text)?.text;
  if (chosen !== undefined || field.kind !== 'address') return chosen ?? text;
  return /1[a-z0-9]{30,}$/.test(text) ? splitAddress(text, text.split('-', 1)[0] as string).short : text;
}

const missingText = (field: ActionField): string =>
  field.kind === 'text' || field.kind === 'amount' || field.kind === 'address' || field.kind === 'time' ? 'Fill this in.' : 'Choose one.';

/** An amount in units of an asset as a number of its smallest unit: `1,250.5` of an asset with two decimals is 125050. */
export function parseUnits(text: string, unit: Pick<DevAsset, 'symbol' | 'denomination'> | undefined): bigint | { readonly text: string } {
  if (unit === undefined) return { text: 'Choose an asset first.' };
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(text) ? text.replaceAll(',', '') : text;
  const [, whole, decimals = ''] = /^(\d{1,40})(?:\.(\d{0,40}))?$/.exec(plain) ?? [];
  if (whole === undefined) return { text: 'Type a number, such as 1.5.' };
  const { symbol, denomination } = unit;
  const significant = decimals.replace(/0+$/, '');
  if (significant.length > denomination)
    return { text: `${symbol} has ${denomination === 0 ? 'no decimals' : `${groupDigits(denomination)} decimals at most`}.` };
  return BigInt(whole + significant.padEnd(denomination, '0'));
}

/** The data of an error of a method. */
export type Fault = Readonly<Record<string, unknown>>;

const isNamed =
  (...names: readonly string[]) =>
  ({ name }: ActionField): boolean =>
    names.includes(name);
const isKind =
  (...kinds: readonly ActionField['kind'][]) =>
  ({ kind }: ActionField): boolean =>
    kinds.includes(kind);

/** The field that an error is about, and what to do on this page where the error does not say it. */
const places: { readonly [code: string]: { readonly isField: (field: ActionField) => boolean; readonly remedy?: string } } = {
  DEV_BAD_AMOUNT: { isField: isKind('amount') },
  DEV_INSUFFICIENT_FUNDS: { isField: isKind('amount'), remedy: 'Send less, choose another sender, or use the faucet first.' },
  DEV_TOO_MANY_INPUTS: { isField: isKind('amount') },
  DEV_UNKNOWN_ASSET: { isField: isKind('asset') },
  DEV_AMBIGUOUS_SYMBOL: { isField: isKind('asset') },
  DEV_NO_AMOUNTS: { isField: isKind('asset') },
  DEV_CANNOT_MINT: { isField: isKind('asset') },
  DEV_NOT_AN_ACCOUNT: { isField: isKind('payer', 'address') },
  DEV_NOTHING_TO_IMPORT: { isField: isKind('payer'), remedy: 'Make a deposit first.' },
  DEV_BAD_LABEL: { isField: isNamed('name') },
  DEV_BAD_GROUPS: { isField: isNamed('groups') },
  DEV_BAD_TIME: { isField: isKind('time') },
  DEV_BAD_BYTES: { isField: isNamed('memo', 'payload') },
  DEV_TOO_MANY_BLOCKS: { isField: isNamed('blocks') },
  DEV_BAD_DEPTH: { isField: isNamed('depth') },
  SNAPSHOT_NO_REORG: { isField: isNamed('depth') },
  SNAPSHOT_BAD_NAME: { isField: isNamed('name') },
  SNAPSHOT_LIMIT: { isField: isNamed('name') },
  DEV_UNKNOWN_OUTPUT: { isField: isNamed('utxoID') },
  DEV_WRONG_OUTPUT: { isField: isNamed('utxoID') },
  DEV_NOT_PENDING: { isField: isNamed('txID') },
  DEV_UNKNOWN_METHOD: { isField: isNamed('method') },
  HEALTH_TOO_MANY_CHECKS: { isField: isNamed('check') },
  AVM_BAD_ADDRESS: { isField: isKind('address', 'payer') },
};

/** The field to which an error of a call belongs; undefined if it belongs to the form as a whole. */
export function faultPlace({ fields }: DevAction, message: string, fault: Fault | undefined, values: FieldValues): FieldError | undefined {
  const code = String(fault?.code ?? '');
  const place = Object.hasOwn(places, code) ? places[code] : undefined;
  const symbolOrName = /^TX_(NAME|SYMBOL)_/.exec(code)?.[1]?.toLowerCase();
  const found =
    fields.find(({ name }) => name === fault?.argument || name === fault?.param || name === symbolOrName) ??
    fields.find((field) => code === 'AVM_BAD_ADDRESS' && values[otherField(field.name)]?.trim() === fault?.address) ??
    fields.find((field) => place?.isField(field));
  return found && { field: found.name, text: place?.remedy === undefined ? asSentence(message) : `${asSentence(message)} ${place.remedy}` };
}

/** An error message as a sentence. */
const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
