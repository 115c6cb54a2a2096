import type { ComponentChildren } from 'preact';
import { shortId } from '../text/text-format.ts';
import type { CallNote } from './actions.ts';

/** What the last call of a form did, with a link to what it created; or why it failed. */
export const FormNote = ({ note }: { note: CallNote | undefined }) => (
  <p class={`form-note ${note?.isError ? 'failed' : ''}`} role="status">
    {note?.isError && <b>Failed: </b>}
    {note?.text ?? ''}
    {note?.link !== undefined && (
      <>
        {' '}
        <a class="mono" href={note.link.href} title={note.link.word}>
          {shortId(note.link.word)}
        </a>
      </>
    )}
  </p>
);

/** The sentence of a call that made a transaction. */
export const sentIn = (text: string, { txID }: Record<string, unknown>) => ({ text, link: { href: `/tx/${txID}`, word: String(txID) } });

type FieldFormProps = {
  /** What the button says. */
  readonly button: string;
  readonly isPrimary?: boolean;
  readonly isBusy?: boolean;
  readonly class?: string;
  readonly onSubmit: (form: FormData, element: HTMLFormElement) => void;
  readonly children: ComponentChildren;
};

/** Fields in a row, with a button that submits them. */
export const FieldForm = ({ button, isPrimary = false, isBusy, class: name = 'row padded', onSubmit, children }: FieldFormProps) => (
  <form
    class={name}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit(new FormData(event.currentTarget), event.currentTarget);
    }}
  >
    {children}
    <button type="submit" class={isPrimary ? 'primary' : undefined} disabled={isBusy}>
      {button}
    </button>
  </form>
);
