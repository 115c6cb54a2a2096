import type { DevChoices } from '../load/dev-choices.ts';
import type { ActionField } from './dev-action.ts';
import { type FieldValues, optionsOf, otherField } from './dev-values.ts';

type FieldProps = {
  readonly field: ActionField;
  /** Begins the IDs of this form. */
  readonly form: string;
  readonly values: FieldValues;
  readonly choices: DevChoices;
  /** The symbol in whose units an amount is. */
  readonly unit: string | undefined;
  /** Why the field cannot be sent as it is. */
  readonly error: string | undefined;
  readonly onChange: (name: string, value: string) => void;
};

/** One field of an action, with the error that belongs to it. */
export function DevField({ field, form, values, choices, unit, error, onChange }: FieldProps) {
  const { name, label, kind } = field;
  const noteId = `${form}-${name}-note`;
  const inputId = `${form}-${name}`;
  const attributes = {
    name,
    id: inputId,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': error === undefined ? undefined : noteId,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLSelectElement }) => onChange(name, currentTarget.value),
  } as const;
  const value = values[name] ?? '';
  return (
    <div class={`field ${widths[kind]}`}>
      {kind === 'flag' ? (
        <label class="flag">
          <input
            type="checkbox"
            name={name}
            checked={value !== ''}
            onInput={({ currentTarget }) => onChange(name, currentTarget.checked ? 'on' : '')}
          />{' '}
          {label}
        </label>
      ) : (
        <label for={inputId}>
          <span>
            {label}
            {kind === 'amount' && unit !== undefined && unit !== '' ? `, ${unit}` : ''}
            {field.isOptional && ', optional'}
          </span>{' '}
          <Input field={field} value={value} options={optionsOf(field, values, choices)} attributes={attributes} />
        </label>
      )}
      {kind === 'address' && value === '' && (
        <input
          class="mono"
          name={otherField(name)}
          value={values[otherField(name)] ?? ''}
          placeholder="X-… or a name"
          aria-label={`${label}: another address`}
          aria-invalid={attributes['aria-invalid']}
          aria-describedby={attributes['aria-describedby']}
          onInput={({ currentTarget }) => onChange(otherField(name), currentTarget.value)}
        />
      )}
      <p class="field-note" id={noteId} aria-live="polite">
        {error ?? ''}
      </p>
    </div>
  );
}

/** How much room a field takes. */
const widths: { readonly [kind in ActionField['kind']]: 'wide' | 'narrow' } = {
  payer: 'wide',
  impersonated: 'wide',
  address: 'wide',
  asset: 'wide',
  amount: 'narrow',
  nft: 'wide',
  property: 'wide',
  export: 'wide',
  pending: 'wide',
  chain: 'narrow',
  text: 'wide',
  integer: 'narrow',
  flag: 'narrow',
  time: 'wide',
};

type InputProps = {
  readonly field: ActionField;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[] | undefined;
  readonly attributes: object;
};

function Input({ field, value, options, attributes }: InputProps) {
  if (options !== undefined)
    return (
      <select {...attributes} value={value}>
        {options.length === 0 && <option value="">{emptyText(field)}</option>}
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
        {field.kind === 'address' && (
          <option value="" selected={value === ''}>
            another address…
          </option>
        )}
      </select>
    );
  if (field.kind === 'integer') return <input {...attributes} type="number" min={field.min} max={field.max} required value={value} />;
  if (field.kind === 'time') return <input {...attributes} type="datetime-local" step={1} value={value} />;
  if (field.kind === 'amount') return <input {...attributes} inputMode="decimal" autocomplete="off" value={value} />;
  const { hint, max, isCode } = field.kind === 'text' ? field : {};
  return (
    <input
      {...attributes}
      class={isCode ? 'mono' : undefined}
      maxLength={max}
      placeholder={hint}
      autocomplete="off"
      spellcheck={false}
      value={value}
    />
  );
}

/** What the list says if it is empty, with what to do first. */
function emptyText(field: ActionField): string {
  if (field.kind === 'asset')
    return { secp256k1: 'none yet: create an asset', nft: 'none yet: create an NFT family', property: 'none yet: create a property' }[
      field.unit
    ];
  if (field.kind === 'nft' || field.kind === 'property') return 'none yet: mint one';
  if (field.kind === 'export') return 'none: export first';
  return 'none';
}
