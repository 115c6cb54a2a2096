import { plural } from '../text/text-format.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { moveFocus } from './arrow-keys.ts';
import { fetchState } from './dev-call.ts';
import { changeTheme, copyText } from './page-tools.ts';
import { devToken, keepApiKey, keepDevToken } from './payload.ts';

export type Dispatch = { readonly reload: () => Promise<void>; readonly payload: () => PagePayload };

/** Listens to keys, and to clicks on what the views mark with data attributes: copy, theme, saving a table or a picture. */
export function listen({ reload, payload }: Dispatch): void {
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('.search input') || target.hasAttribute('role')) return;
    target.setAttribute('role', 'combobox');
    void import('./suggest.ts').then(({ suggestIn }) => suggestIn(target, () => payload().context));
  });
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : undefined;
    const link = target?.closest('a[data-in-place]');
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
      event.preventDefault();
      history.pushState(null, '', link.getAttribute('href'));
      void reload();
    }
    const state = target?.closest<HTMLAnchorElement>('a[href="/ext/dev/state"]');
    if (state && devToken() !== '') {
      event.preventDefault();
      void saveState(state.download);
    }
    const copy = target?.closest<HTMLElement>('[data-copy]');
    if (copy) void copyText(copy);
    if (target?.closest('[data-theme-button]')) changeTheme();
    if (target?.closest('[data-keys-button]')) showKeys();
    const csv = target?.closest<HTMLElement>('[data-save-csv]');
    if (csv) void saveCsv(csv);
    for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(target ?? null)) menu.removeAttribute('open');
    const picture = target?.closest<HTMLElement>('[data-save-svg]')?.dataset.saveSvg;
    if (picture !== undefined) saveSvg(picture);
  });
  document.addEventListener('submit', (event) => {
    const form = event.target instanceof HTMLFormElement && event.target.matches('[data-secret]') ? event.target : undefined;
    if (form === undefined) return;
    event.preventDefault();
    (form.dataset.secret === 'token' ? keepDevToken : keepApiKey)(String(new FormData(form).get('key')));
    void reload();
  });
  document.addEventListener('keydown', onKey);
  window.addEventListener('popstate', () => void reload());
}

/** Saves all rows of a list as CSV; the button counts them meanwhile. */
async function saveCsv(button: HTMLElement): Promise<void> {
  const { saveCsv: name = '' } = button.dataset;
  const word = button.textContent;
  const { csvOf } = await import('./csv.ts');
  const text = await csvOf(name, (count) => {
    button.textContent = plural(count, 'row');
  });
  button.textContent = text === undefined ? 'The node does not answer' : word;
  if (text !== undefined) save(`${name}.csv`, 'text/csv', text);
}

function saveSvg(name: string): void {
  const box = document.querySelector(`[data-picture="${CSS.escape(name)}"]`);
  const svg = [...(box?.querySelectorAll('svg') ?? [])].find((one) => one.checkVisibility());
  if (svg === undefined) return;
  const copy = svg.cloneNode(true) as SVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const from = [svg, ...svg.querySelectorAll('*')];
  const to = [copy, ...copy.querySelectorAll('*')];
  for (const [at, element] of to.entries()) {
    const style = getComputedStyle(from[at] as Element);
    for (const property of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font', 'opacity', 'text-anchor'] as const)
      element.setAttribute(property, style.getPropertyValue(property));
  }
  save(`${name}.svg`, 'image/svg+xml', new XMLSerializer().serializeToString(copy));
}

async function saveState(name: string): Promise<void> {
  const { result } = await fetchState();
  if (result !== undefined) save(name, 'application/octet-stream', result);
}

function save(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

let isGoPending = false;

/** Single letters do nothing inside inputs, with modifiers, or after they were switched off. */
function onKey(event: KeyboardEvent): void {
  const target = event.target instanceof HTMLElement || event.target instanceof SVGElement ? event.target : document.body;
  if (event.key === 'Escape') {
    document.querySelector('dialog.keys')?.remove();
    target.blur();
  }
  if (target.matches('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey) return;
  if (moveFocus(event)) {
    event.preventDefault();
    return;
  }
  const key = event.key.toLowerCase();
  const go = isGoPending ? document.querySelector<HTMLAnchorElement>(`[data-go="${CSS.escape(key)}"]`) : undefined;
  isGoPending = false;
  if (go) {
    go.click();
    return;
  }
  if (event.key === '/') {
    event.preventDefault();
    document.querySelector<HTMLInputElement>('.search input')?.focus();
  } else if (event.key === '?') showKeys();
  else if (localStorage.getItem('serac-keys') === 'off') return;
  else if (key === 'g') isGoPending = true;
  else if (key === 't') changeTheme();
  else if (key === 'c') void copyText(document.querySelector<HTMLElement>('.page-id [data-copy], .facts [data-copy]'));
  else document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.click();
}

const keys: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'go to a page, an address or a date, or do something'],
  ['/', 'search'],
  ['J  K', 'previous, next'],
  ['G then H B M A C T N D', 'Home, Blocks, Mempool, Assets, Cross-chain, Throughput, Node, Dev'],
  ['H', 'hold the list'],
  ['C', 'copy the ID'],
  ['← ↑ → ↓', 'move in a picture or on a plot, Enter opens'],
  ['T', 'theme'],
  ['Esc', 'leave'],
];

/** The list of keys, with a switch for single letters. */
function showKeys(): void {
  const open = document.querySelector('dialog.keys');
  if (open !== null) {
    open.remove();
    return;
  }
  const dialog = document.createElement('dialog');
  dialog.className = 'keys';
  dialog.setAttribute('aria-label', 'Shortcuts');
  const list = document.createElement('dl');
  for (const [key, what] of keys) {
    const [name, text] = [document.createElement('dt'), document.createElement('dd')];
    name.textContent = key;
    text.textContent = what;
    list.append(name, text);
  }
  const off = document.createElement('button');
  const label = (): string => (localStorage.getItem('serac-keys') === 'off' ? 'Switch single letters on' : 'Switch single letters off');
  off.textContent = label();
  off.onclick = () => {
    localStorage.setItem('serac-keys', localStorage.getItem('serac-keys') === 'off' ? 'on' : 'off');
    off.textContent = label();
  };
  const close = Object.assign(document.createElement('button'), { textContent: 'Close', onclick: () => dialog.remove() });
  dialog.append(list, off, close);
  document.body.append(dialog);
  dialog.showModal();
}
