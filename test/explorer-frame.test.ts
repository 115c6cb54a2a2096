import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { makeExplorerSample } from './explorer-sample.ts';
import { eventually } from './processes.ts';

/** What all pages of the explorer share, in a real Chromium: sizes of text, the navigation, and how they fit a phone. */

const binary = chromiumBinary();
/** The most that may be below 13 px, as a part of the characters of a page: what a reader may skip. */
const maxSmallText = 0.2;
/** Pixels. */
const maxPhoneHeader = 120;
const minTarget = 24;

/** The part of the characters that are smaller than 13 px, of those that are shown. */
const smallText = `(() => {
  let [small, all] = [0, 0];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: element, textContent } = texts.currentNode;
    if (!element.checkVisibility() || element.closest('script, noscript, .hidden, .skip')) continue;
    const count = textContent.replace(/\\s/g, '').length;
    all += count;
    if (parseFloat(getComputedStyle(element).fontSize) < 13) small += count;
  }
  return small / all;
})()`;

/** Items of the navigation with their places. */
const navigation = `[...document.querySelectorAll('.nav a, .nav button')].map((item) => {
  const { x, y, width } = item.getBoundingClientRect();
  return item.textContent + [x, y, width].map(Math.round);
})`;

/** Items of the navigation, cells and boxes that are cut: they reach over their panel or the window, or they scroll sideways. */
const cutParts = `[...document.querySelectorAll('td, th, .scroll:has(table), .nav a')].filter((part) => {
  if (part.closest('.nav') !== null) return part.scrollWidth > part.clientWidth;
  if (!part.checkVisibility() || getComputedStyle(part.closest('thead') ?? part).clipPath !== 'none') return false;
  const { left, right } = part.getBoundingClientRect();
  const panel = (part.closest('.panel') ?? document.body).getBoundingClientRect();
  return left < panel.left - 1 || right > Math.min(panel.right, innerWidth) + 1 || part.scrollWidth > part.clientWidth + 1;
}).map(({ textContent }) => textContent.slice(0, 60))`;

/** What is too small for a finger. Links inside a text are as wide as their word; shapes of a picture have a table beside them. */
const smallTargets = `[...document.querySelectorAll('a, button, input, select, textarea, summary')].filter((target) => {
  if (!target.checkVisibility({ visibilityProperty: true }) || target.closest('svg, .hidden, .skip')) return false;
  const { width, height } = target.getBoundingClientRect();
  const isInText = [...target.parentElement.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent.trim() !== '');
  return height < ${minTarget} || (width < ${minTarget} && !isInText);
}).map((target) => target.outerHTML.slice(0, 120))`;

describe.skipIf(binary === undefined)('Chromium: the frame of the explorer', () => {
  let node: DevNode;
  let page: Page;
  let url: string;
  let paths: readonly string[];

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=3');
    url = node.program().url;
    ({ paths } = await makeExplorerSample(node));
    page = await openChromium(binary!);
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });

  /** Opens a page and waits until its script has taken over. */
  const open = async (path: string): Promise<void> => {
    await page.open(url + path);
    await eventually(() => page.run<boolean>(`document.querySelector('.stream-state.live') !== null`), Boolean);
  };

  test('most text is at least 13 px large, and titles differ in size', async () => {
    await page.emulate({ width: 1440, height: 900 });
    const kinds = ['/', '/block/', '/tx/', '/address/', '/asset/', '/node', '/dev'];
    const shares: string[] = [];
    for (const kind of kinds) {
      const path = paths.find((one) => (kind.length > 1 ? one.startsWith(kind) : one === kind)) as string;
      await open(path);
      const share = await page.run<number>(smallText);
      shares.push(`${kind} ${Math.round(share * 100)} %`);
      expect([path, share, share <= maxSmallText]).toEqual([path, share, true]);
      const sizes = await page.run<number[]>(
        `['h1:not(.hidden)', '.panel-answer h2', '.panel-evidence h2', 'body'].flatMap((selector) => {
          const found = document.querySelector(selector);
          return found === null ? [] : [parseFloat(getComputedStyle(found).fontSize)];
        })`,
      );
      expect([path, sizes.toSorted((a, b) => b - a)]).toEqual([path, sizes]);
      expect([path, new Set(sizes).size]).toEqual([path, sizes.length]);
    }
    process.stdout.write(`explorer: text below 13 px: ${shares.join(', ')}\n`);
  });

  test('on every page the navigation has the same items at the same places, and targets are large enough', async () => {
    await page.emulate({ width: 1280, height: 900 });
    await open('/');
    const home = await page.run<string[]>(navigation);
    expect(home.length).toBeGreaterThan(8);
    const small: string[] = [];
    for (const path of paths) {
      await open(path);
      expect([path, await page.run<string[]>(navigation)]).toEqual([path, home]);
      small.push(...(await page.run<string[]>(smallTargets)).map((one) => `${path}: ${one}`));
    }
    expect(small).toEqual([]);
  });

  test('on a phone: a low header, nothing cut or wider than the window, targets for fingers', async () => {
    await page.emulate({ width: 390, height: 844 });
    const faults: string[] = [];
    for (const path of paths) {
      await open(path);
      const [header, wider] = await page.run<[number, number]>(
        `[document.querySelector('.top-bar').offsetHeight, document.documentElement.scrollWidth - innerWidth]`,
      );
      if (header > maxPhoneHeader) faults.push(`${path}: the header is ${header} px high`);
      if (wider > 0) faults.push(`${path} is ${wider} px wider than the window`);
      for (const [word, list] of [
        ['cut', cutParts],
        ['small', smallTargets],
      ] as const)
        faults.push(...(await page.run<string[]>(list)).map((one) => `${path}, ${word}: ${one}`));
    }
    expect(faults).toEqual([]);
  });
});
