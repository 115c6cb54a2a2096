import type { PagePayload } from '../views/page-payload.ts';

/** What the palette needs of the page. */
export type PaletteHost = {
  readonly payload: () => PagePayload;
  readonly reload: () => Promise<void>;
  readonly changeZone: () => void;
};

/** Opens the palette with Ctrl K or ⌘ K, also inside fields, and with its button. Its script is loaded when it is used. */
export function listenForPalette(host: PaletteHost): void {
  const open = async (): Promise<void> => (await import('./palette.tsx')).openPalette(host);
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    void open();
  });
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('[data-palette-button]')) void open();
  });
}
