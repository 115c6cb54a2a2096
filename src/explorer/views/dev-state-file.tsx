import { useState } from 'preact/hooks';
import { useActions } from './actions.ts';

/** Saves the state of all chains as a file. Works without script too. */
export const SaveStateLink = ({ network, height }: { network: string; height: number }) => (
  <a class="button" href="/ext/dev/state" download={`serac-${network}-${height}.state`}>
    Save state
  </a>
);

/** Replaces the state of all chains with that of a file, and says what happened. */
export function LoadStateButton() {
  const actions = useActions();
  const [note, setNote] = useState('');
  const load = async (file: File | undefined): Promise<void> => {
    if (file === undefined || actions === undefined) return;
    setNote(`Loading ${file.name} …`);
    const { result, error } = await actions.loadState(file);
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
            void load(currentTarget.files?.[0]);
            currentTarget.value = '';
          }}
        />
      </label>
      <span class="note" role="status" data-state-note>
        {note}
      </span>
    </>
  );
}
