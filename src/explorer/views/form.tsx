import type { ComponentChildren } from 'preact';
import { shortId } from '../text/text-format.ts';
import type { CallNote } from './actions.ts';

/** What the last call of a form did, with links to what it created; or why it failed. */
export const FormNote = ({ note }: { note: CallNote | undefined }) => (
  <p class={`form-note ${note?.isError ? 'failed' : ''}`} role="status">
    {note?.isError && <b>Failed: </b>}
    {note?.text ?? ''}
    {note?.links?.map(({ href, word }) => (
      <>
        {' '}
        <a class={shortId(word) === word ? undefined : 'mono'} href={href} title={word}>
          {shortId(word)}
        </a>
      </>
    ))}
  </p>
);

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

type QuestionProps = {
  readonly text: string;
  /** What the button says that does it. */
  readonly yes: string;
  readonly isBusy: boolean;
  readonly onYes: () => void;
  readonly onNo: () => void;
};

/** Asks before something that cannot be undone. The button that keeps everything as it is has the focus. */
export const Question = ({ text, yes, isBusy, onYes, onNo }: QuestionProps) => (
  <div class="question row" role="alertdialog" aria-label={text}>
    <p class="grow">{text}</p>
    <button type="button" disabled={isBusy} onClick={onNo} ref={(button) => button?.focus()}>
      Keep it
    </button>
    <button type="button" class="danger" disabled={isBusy} onClick={onYes}>
      {yes}
    </button>
  </div>
);
