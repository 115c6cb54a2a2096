import { ageText, spanText } from '../text/text-format.ts';
import { zonedText } from '../text/zone-time.ts';

/**
 * Updates all texts that depend on the time, in one pass. Only the data of text nodes changes, so that the next render finds its nodes; a view
 * renders such a text as one text node.
 */
export function tickAges(now: number): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-age]')) setText(element, ageText(now - Number(element.dataset.age)));
  for (const element of document.querySelectorAll<HTMLElement>('[data-until]'))
    setText(element, spanText(Math.max(0, Number(element.dataset.until) - now)));
  for (const element of document.querySelectorAll<HTMLElement>('[data-clock]')) setText(element, zonedText(now, 'full'));
}

/** Adds the time to an age under the pointer, as a tooltip. */
export function explainAge({ target }: Event): void {
  const age = target instanceof Element ? target.closest<HTMLElement>('[data-age]') : undefined;
  if (age) age.title = zonedText(Number(age.dataset.age), 'full');
}

function setText(element: HTMLElement, text: string): void {
  const node = element.firstChild;
  if (node instanceof Text && node.data !== text) node.data = text;
}
