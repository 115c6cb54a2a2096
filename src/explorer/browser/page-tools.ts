/** What buttons do on every page, of the explorer and of the documentation. */

/** Copies the text of a button (`data-copy`) and marks the button for a moment. */
export async function copyText(button: HTMLElement | null): Promise<void> {
  if (button === null) return;
  await navigator.clipboard?.writeText(button.dataset.copy ?? '');
  button.classList.add('copied');
  setTimeout(() => button.classList.remove('copied'), 900);
}

/** Changes between dark and light; the choice is kept. */
export function changeTheme(): void {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : dataset.theme === 'dark';
  dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('serac-theme', dataset.theme);
}
