import { useEffect, useRef, useState } from 'preact/hooks';
import type { MethodJson } from '../../api/contract/answers.ts';
import type { DevData } from '../load/load-dev.ts';
import type { RpcAnswer } from '../load/source.ts';
import type { UndoKind } from '../load/undo-point.ts';
import { groupDigits } from '../text/text-format.ts';
import { type Actions, type CallNote, type Done, type NoteLink, useDevCall } from './actions.ts';
import type { DevAction } from './dev-action.ts';
import { type ActionName, devActions } from './dev-actions.ts';
import { DevField } from './dev-field.tsx';
import { maxUndoTxs, replaceWithUndo } from './dev-undo.ts';
import { currentValues, type FieldError, type FieldValues, faultPlace, fillParams, unitOf } from './dev-values.ts';
import { FormNote, Question } from './form.tsx';

type ActionFormProps = { readonly name: ActionName; readonly data: DevData; readonly isPrimary?: boolean };

/** The form of an action: its fields, its button, and the sentence about what it did. */
export function ActionForm({ name, data, isPrimary = false }: ActionFormProps) {
  const row = devActions[name];
  const { choices } = data;
  const { runAll, note, isBusy } = useDevCall();
  const [typed, setTyped] = useState<FieldValues>({});
  const [wrong, setWrong] = useState<FieldError | undefined>(undefined);
  /** The note about an earlier try, which the reader has answered by another one. */
  const [answered, setAnswered] = useState<CallNote | undefined>(undefined);
  const [isAsked, setAsked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const values = currentValues(row, typed, choices);
  const refused = note?.isError && note !== answered ? faultPlace(row, note.text, note.fault, values) : undefined;
  const error = wrong ?? refused;
  useEffect(() => {
    const fields = form.current?.querySelectorAll<HTMLElement>('[aria-invalid=true]') ?? [];
    [...fields].at(-1)?.focus();
  }, [error?.field, note]);
  const isLarge = row.isUndoable === true && choices.txCount > maxUndoTxs;
  const submit = async (isSure: boolean): Promise<void> => {
    const filled = fillParams(row, values, choices);
    if ('field' in filled) {
      setWrong(filled);
      return;
    }
    setWrong(undefined);
    setAnswered(note);
    if (isLarge && !isSure) {
      setAsked(true);
      return;
    }
    setAsked(false);
    const isDone = await runAll(async ({ dev }) => {
      const call = () => dev<MethodJson<DevAction['method']>>(row.method, filled.params);
      const { result, error: failed } =
        row.isUndoable && !isLarge ? await replaceWithUndo({ dev }, await readUndo(name, dev), call) : await call();
      return result === undefined ? { error: failed ?? { message: 'the node did not answer' } } : said(row, filled.shown, result);
    });
    if (isDone) setTyped((before) => withoutTexts(row, before));
  };
  const change = (field: string, value: string): void => {
    setTyped((before) => ({ ...before, [field]: value }));
    setWrong(undefined);
    setAnswered(note);
  };
  return (
    <>
      <form
        ref={form}
        class="row padded"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit(false);
        }}
      >
        {row.fields.map((field) => (
          <DevField
            key={field.name}
            field={field}
            form={name}
            values={values}
            choices={choices}
            unit={unitOf(row, values, choices)?.symbol}
            error={error?.field === field.name ? error.text : undefined}
            onChange={change}
          />
        ))}
        <button type="submit" class={isPrimary ? 'primary' : undefined} disabled={isBusy}>
          {row.button}
        </button>
      </form>
      {isAsked && (
        <Question
          text={`The chain has ${groupDigits(choices.txCount)} transactions, too many to keep for an undo. ${row.title}, for good?`}
          yes={row.button}
          isBusy={isBusy}
          onYes={() => void submit(true)}
          onNo={() => setAsked(false)}
        />
      )}
      <FormNote note={refused === undefined && (note !== answered || !note?.isError) ? note : undefined} />
    </>
  );
}

/** What is undone later. After a reorg the chain is as high as before it. */
async function readUndo(name: ActionName, dev: Actions['dev']): Promise<{ readonly kind: UndoKind; readonly to?: number | undefined }> {
  if (name !== 'reorg') return { kind: 'reset' };
  const { result } = await dev<MethodJson<'dev.nodeInfo'>>('dev.nodeInfo');
  return { kind: 'reorg', to: result === undefined ? undefined : Number(result.height) };
}

/** The sentence of an action, with links to what it made. */
function said(row: DevAction, shown: Readonly<Record<string, string>>, result: MethodJson<DevAction['method']>): RpcAnswer<Done> {
  const { txID, assetID } = result as { readonly txID?: string; readonly assetID?: string };
  const links: NoteLink[] = [];
  if (assetID !== undefined) links.push({ href: `/asset/${assetID}`, word: shown.symbol ?? 'Asset' });
  if (txID !== undefined && row.method !== 'dev.dropTx') links.push({ href: `/tx/${txID}`, word: txID });
  if (row.method === 'dev.atomicDeposit' || row.method === 'dev.claimExport') links.push({ href: '/cross-chain', word: 'Cross-chain' });
  return { result: { text: row.said(shown, result), links } };
}

/** What stays in the form for the next time: not the texts that may be left out, such as the name of a snapshot. */
const withoutTexts = ({ fields }: DevAction, values: FieldValues): FieldValues =>
  Object.fromEntries(
    Object.entries(values).filter(([key]) => !fields.some(({ name, kind, isOptional }) => name === key && kind === 'text' && isOptional)),
  );
