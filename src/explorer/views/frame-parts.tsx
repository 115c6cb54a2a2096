/** Parts of the frame of every page, of the explorer and of the documentation. */

export const Mark = () => (
  <svg width="20" height="22" viewBox="0 0 20 22" aria-hidden="true">
    <path d="M2 21 6 6l4-5v20z" class="mark-a" />
    <path d="M10 1l5 6 3 14h-8z" class="mark-b" />
  </svg>
);

export const SearchGlyph = () => (
  <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3.5 3.5" class="glyph" />
  </svg>
);

/** For a phone, which has no keys to name. */
export const PaletteGlyph = () => (
  <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M2 4l3 3-3 3M7 12h7M8 8h6M8 4h6" class="glyph" />
  </svg>
);

export const ThemeButton = () => (
  <button type="button" class="icon" data-theme-button aria-label="Change the theme" title="Theme">
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" class="glyph" />
      <path d="M8 2a6 6 0 0 1 0 12z" class="solid" />
    </svg>
  </button>
);
