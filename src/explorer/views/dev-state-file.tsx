import { useState } from 'preact/hooks';
import { useActions } from './actions.ts';
import { maxUndoTxs, replaceWithUndo } from './dev-undo.ts';
import { Question } from './form.tsx';

/** Saves the state of all chains as a file. Works without script too. */
export const SaveStateLink = ({ network, height }: { network: string; height: number }) => (
  <a class="button" href="/ext/dev/state" download={`serac-${network}-${height}.state`}>
    Save state
  </a>
);

/** Replaces the state of all chains with that of a file, and says what happened. `txCount`: transactions on the chain, which an undo would keep. */
export function LoadStateButton({ txCount }: { txCount: number }) {
  const actions = useActions();
  const [note, setNote] = useState('');
  const [large, setLarge] = useState<File | undefined>(undefined);
  const load = async (file: File | undefined, isSure: boolean): Promise<void> => {
    if (file === undefined || actions === undefined) return;
    const isLarge = txCount > maxUndoTxs;
    setLarge(isLarge && !isSure ? file : undefined);
    if (isLarge && !isSure) return;
    setNote(`Loading ${file.name} …`);
    const call = () => actions.loadState(file);
    const { result, error } = isLarge ? await call() : await replaceWithUndo(actions, { kind: 'load' }, call);
    setNote(error === undefined ? `Loaded ${file.name}, block ${result?.height ?? ''}` : error.message);
    if (error === undefined) await actions.reload();
  };
  return (
    <>
      <label class="button with-script">
        Load state
        <input
          type="file"
          class="hidden"
          accept=".state"
          onChange={({ currentTarget }) => {
            void load(currentTarget.files?.[0], false);
            currentTarget.value = '';
          }}
        />
      </label>
      <span class="note" role="status" data-state-note>
        {note}
      </span>
      {large !== undefined && (
        <Question
          text={`Load ${large.name}? The chain has too many transactions to keep them for an undo.`}
          yes="Load"
          isBusy={false}
          onYes={() => void load(large, true)}
          onNo={() => setLarge(undefined)}
        />
      )}
    </>
  );
}
