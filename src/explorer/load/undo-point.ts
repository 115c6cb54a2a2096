/** What the page can undo: it takes a snapshot before. `load`: of a state file. */
export type UndoKind = 'revert' | 'reorg' | 'reset' | 'load';

/**
 * The snapshot that the page took before it replaced the state of the chain. There is at most one: the page deletes it when it takes the next one, when the
 * reader closes the line about it, and after `maxBlocksAfter` blocks. The name says what it is, because other programs list it too.
 */
export type UndoPoint = {
  readonly name: string;
  readonly kind: UndoKind;
  /** The height before. */
  readonly height: number;
  /** The height after; undefined if it was not known before. */
  readonly to: number | undefined;
};

/** Blocks after which nobody wants to undo any more; while the snapshot exists, each block is written twice. */
export const maxBlocksAfter = 1000;

const prefix = 'page undo: ';

export const isUndoName = (name: string | undefined): boolean => name?.startsWith(prefix) === true;

/** `page undo: revert to 7` */
export const undoName = (kind: UndoKind, to: number | undefined): string => `${prefix}${kind}${to === undefined ? '' : ` to ${to}`}`;

/** Splits snapshots into those of the developer and that of the page. */
export function splitSnapshots<T extends { readonly name: string; readonly height: string }>(
  all: readonly T[],
): { readonly own: readonly T[]; readonly undo: UndoPoint | undefined } {
  const undo = all.flatMap((snapshot) => parseUndo(snapshot) ?? []).at(-1);
  return { own: all.filter((snapshot) => parseUndo(snapshot) === undefined), undo };
}

function parseUndo({ name, height }: { readonly name: string; readonly height: string }): UndoPoint | undefined {
  const [, kind, to] = (isUndoName(name) && /^(revert|reorg|reset|load)(?: to (\d{1,15}))?$/.exec(name.slice(prefix.length))) || [];
  return kind === undefined
    ? undefined
    : { name, kind: kind as UndoKind, height: Number(height), to: to === undefined ? undefined : Number(to) };
}

/** The height of the last block right after the action; a new chain has at most the block that funds its accounts. */
export const heightAfter = ({ kind, to }: UndoPoint): number | undefined => to ?? (kind === 'reset' ? 1 : undefined);
