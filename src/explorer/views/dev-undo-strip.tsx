import { useEffect, useState } from 'preact/hooks';
import { heightAfter, maxBlocksAfter, type UndoPoint } from '../load/undo-point.ts';
import { groupDigits, plural } from '../text/text-format.ts';
import { useDevCall } from './actions.ts';

type UndoStripProps = {
  readonly undo: UndoPoint;
  /** Of the last block. */
  readonly height: number;
  /** What was lost, in words. */
  readonly gone: string;
  /** Called when it was undone or dismissed. */
  readonly onEnd: () => void;
};

/** Says what the page has replaced, and undoes it. */
export function UndoStrip({ undo, height, gone, onEnd }: UndoStripProps) {
  const { run, runAll, note, isBusy } = useDevCall();
  const [isAsked, setAsked] = useState(false);
  const after = heightAfter(undo);
  const added = after === undefined ? undefined : Math.max(0, height - after);
  const forget = () => {
    onEnd();
    return run('dev.deleteSnapshot', { name: undo.name }, () => '');
  };
  const isOld = added !== undefined && added > maxBlocksAfter;
  useEffect(() => {
    if (isOld) void forget();
  }, [isOld]);
  const undoIt = () => {
    if (added !== 0 && !isAsked) return setAsked(true);
    setAsked(false);
    onEnd();
    void runAll(async (actions) => (await import('./dev-undo.ts')).undo(actions, undo));
  };
  return (
    <div class="strip" data-undo>
      <div class="bar">
        <UndoText undo={undo} />
        <span class="strip-note">
          {gone}
          {isAsked && <b>{added === undefined ? ' What came since would go.' : ` ${plural(added, 'block')} that came since would go.`}</b>}
          {note?.isError && <span class="bad-text"> {note.text}</span>}
        </span>
        <span class="buttons with-script">
          <button type="button" disabled={isBusy} onClick={undoIt}>
            {isAsked ? 'Undo anyway' : 'Undo'}
          </button>
          <button type="button" class="link" disabled={isBusy} onClick={() => void forget()} title="It can no longer be undone then">
            Dismiss
          </button>
        </span>
      </div>
    </div>
  );
}

const UndoText = ({ undo: { kind, height, to } }: { undo: UndoPoint }) => (
  <span>
    {kind === 'revert' && (
      <>
        <b>Reverted</b> from height {groupDigits(height)} to {groupDigits(to ?? 0)}.
      </>
    )}
    {kind === 'reorg' && (
      <>
        <b>Reorg</b> at height {groupDigits(height)}: the last blocks were replaced.
      </>
    )}
    {kind === 'reset' && (
      <>
        <b>Reset</b> from height {groupDigits(height)} to a new chain.
      </>
    )}
    {kind === 'load' && (
      <>
        <b>Loaded</b> a state file in place of height {groupDigits(height)}.
      </>
    )}
  </span>
);
