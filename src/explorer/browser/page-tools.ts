/** What buttons do on every page, of the explorer and of the documentation. */

/** Copies the text of a button (`data-copy`) and marks the button for a moment, if the browser has copied it. */
export async function copyText(button: HTMLElement | null): Promise<void> {
  if (button === null || !(await isCopied(button.dataset.copy ?? ''))) return;
  button.classList.add('copied');
  setTimeout(() => button.classList.remove('copied'), 900);
}

/** Browsers have a clipboard only on pages from HTTPS or from the same machine; on others the text of a selection can be copied. */
async function isCopied(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const field = Object.assign(document.createElement('textarea'), { value: text });
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}

/** Changes between dark and light; the choice is kept. */
export function changeTheme(): void {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : dataset.theme === 'dark';
  dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('serac-theme', dataset.theme);
}
