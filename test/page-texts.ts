import type { Page } from './chromium.ts';

/** The texts of a page of the explorer without its pictures, as it is shown and as the server renders it now. Freeze the clock: ages are texts too. */
export const pageTexts = (page: Page): Promise<{ shown: string; loaded: string }> =>
  page.run(`(async () => {
    const read = (page) => {
      const main = page.querySelector('main').cloneNode(true);
      for (const one of main.querySelectorAll('svg')) one.remove();
      return main.textContent.replaceAll(/\\s+/g, ' ').trim();
    };
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    return { shown: read(document), loaded: read(new DOMParser().parseFromString(await answer.text(), 'text/html')) };
  })()`);
