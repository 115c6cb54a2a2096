import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PaletteHost } from './open-palette.ts';
import { filterItems, findItems, knownItems, listedItems, type PaletteItem } from './palette-items.ts';

/** Milliseconds after the last key until the server is asked. */
const typingPause = 120;

/** Shows the palette over the page. Closing it gives the focus back to where it was. */
export function openPalette(host: PaletteHost): void {
  if (document.querySelector('dialog.palette') !== null) return;
  const focused = document.activeElement;
  const dialog = Object.assign(document.createElement('dialog'), { className: 'palette' });
  dialog.setAttribute('aria-label', 'Go to or do');
  document.body.append(dialog);
  dialog.addEventListener('close', () => {
    render(null, dialog);
    dialog.remove();
    if (focused instanceof HTMLElement || focused instanceof SVGElement) focused.focus();
  });
  // A click beside the list closes it.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  render(<Palette host={host} close={() => dialog.close()} />, dialog);
  dialog.showModal();
}

function Palette({ host, close }: { host: PaletteHost; close: () => void }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly PaletteItem[]>([]);
  const [listed, setListed] = useState<readonly PaletteItem[]>([]);
  const [at, setAt] = useState(0);
  const [note, setNote] = useState('');
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Without the lists of methods and documents, the palette has the rest.
    listedItems.get().then(setListed, () => undefined);
  }, []);
  useEffect(() => {
    const query = text.trim();
    if (query === '') return;
    let isStale = false;
    const timer = setTimeout(() => {
      const show = (items: readonly PaletteItem[]): void => {
        if (!isStale) setFound(items);
      };
      findItems(host.payload().context, query).then(show, () => undefined);
    }, typingPause);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [text]);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at, text]);
  const items = [...found, ...filterItems(text.trim() === '' ? knownItems(host) : [...knownItems(host), ...listed], text)];
  const groups = [...new Set(items.map(({ group }) => group))];
  const shown = groups.flatMap((group) => items.filter((item) => item.group === group));
  const choose = async (item: PaletteItem | undefined): Promise<void> => {
    if (item?.href !== undefined) {
      close();
      location.assign(item.href);
    } else if (item?.run !== undefined) {
      const said = await item.run();
      if (said === undefined) close();
      else setNote(said);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === 'Enter') void choose(shown[at]);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label="Page, address, transaction, date or action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={shown.length === 0 ? undefined : `palette-${at}`}
        placeholder="Page, address, transaction, date or action"
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setFound([]);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div class="palette-list" id="palette-list" role="listbox" aria-label="Matches" ref={list}>
        {groups.map((group) => (
          <div role="group" aria-label={group} key={group}>
            <p class="palette-group" aria-hidden="true">
              {group}
            </p>
            {shown.map(
              (item, index) =>
                item.group === group && (
                  <Option
                    item={item}
                    index={index}
                    isChosen={index === at}
                    onPoint={() => setAt(index)}
                    onChoose={() => void choose(item)}
                  />
                ),
            )}
          </div>
        ))}
      </div>
      <p class="palette-note" role="status">
        {note !== '' ? note : shown.length === 0 ? 'Nothing found.' : '↑ ↓ to choose, Enter to open, Esc to leave'}
      </p>
    </>
  );
}

type OptionProps = {
  readonly item: PaletteItem;
  readonly index: number;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
};

const Option = ({ item: { word, note }, index, isChosen, onPoint, onChoose }: OptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the keys and the focus
  <div role="option" id={`palette-${index}`} aria-selected={isChosen} onMouseMove={onPoint} onClick={onChoose}>
    <b>{word}</b>
    <small>{note}</small>
  </div>
);
