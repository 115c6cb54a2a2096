/** Milliseconds after the last key until the text is searched for. */
const typingPause = 120;

/**
 * Lists the links that `find` returns for a text below its search field, as it is typed. Arrows move in the list, Enter opens what is chosen,
 * Escape closes it.
 */
export function listMatches(input: HTMLInputElement, find: (text: string) => Promise<readonly HTMLAnchorElement[]>): void {
  const list = Object.assign(document.createElement('ul'), { id: 'suggestions', className: 'suggestions', hidden: true });
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Matches');
  input.form?.append(list);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
  }))
    input.setAttribute(name, value);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let chosen = -1;

  const show = (matches: readonly HTMLAnchorElement[]): void => {
    list.replaceChildren(...matches.map(itemOf));
    list.hidden = matches.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    choose(-1);
  };
  const choose = (at: number): void => {
    const items = [...list.children];
    chosen =
      items.length === 0 ? -1 : (at + items.length + 1) % (items.length + 1) === items.length ? -1 : (at + items.length) % items.length;
    for (const [index, item] of items.entries()) item.setAttribute('aria-selected', String(index === chosen));
    if (chosen < 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', (items[chosen] as Element).id);
    items[chosen]?.scrollIntoView({ block: 'nearest' });
  };
  const look = async (): Promise<void> => {
    const text = input.value.trim();
    const matches = text === '' ? [] : await find(text);
    // The reader may have typed on meanwhile.
    if (input.value.trim() === text && document.activeElement === input) show(matches);
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), typingPause);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') show([]);
    if (list.hidden) return;
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen < 0 ? list.children.length - 1 : chosen - 1);
    else if (event.key === 'Enter' && chosen >= 0) list.children[chosen]?.querySelector('a')?.click();
    else return;
    event.preventDefault();
  });
  // A click on a match takes the focus first.
  input.addEventListener('blur', () => setTimeout(() => show([]), 200));
  void look();
}

function itemOf(link: HTMLAnchorElement, at: number): HTMLLIElement {
  const item = Object.assign(document.createElement('li'), { id: `match-${at}` });
  item.setAttribute('role', 'option');
  link.tabIndex = -1;
  item.append(link);
  return item;
}
