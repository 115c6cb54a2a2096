import { expect, test } from 'bun:test';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Panel } from '../views/parts.tsx';
import { Values } from '../views/table.tsx';
import { renderInParts } from './render-in-parts.tsx';

let rendered = 0;
const Row = ({ at }: { at: number }) => {
  rendered++;
  return h('tr', {}, h('td', {}, at), h('td', {}, '<x-part n="0"></x-part> $& $1'));
};
const rows = Array.from({ length: 95 }, (_, at) => h(Row, { at }));
const page = [
  h(Panel, { title: 'One', children: h(Values, { csv: 'one', columns: ['At', 'Text'], children: rows }) }),
  h(Panel, { title: 'Two', children: 'text' }),
];
const wholeOf = (content: ComponentChildren): string => renderToString(h(Fragment, {}, content));

test('a page is rendered to the same HTML in time slices, few rows in each', async () => {
  const whole = wholeOf(page);
  /** Rows that were rendered between two pauses. */
  const steps: number[] = [];
  rendered = 0;
  const html = await renderInParts(page, () => {
    steps.push(rendered);
    rendered = 0;
    return Promise.resolve();
  });
  steps.push(rendered);
  expect(html).toBe(whole);
  expect(steps.reduce((sum, rows) => sum + rows)).toBe(95);
  expect(Math.max(...steps)).toBe(10);
});

test('pages that are rendered at the same time do not mix', async () => {
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  const other = h(Panel, { title: 'Other', children: 'other text' });
  expect(await Promise.all([renderInParts(page, pause), renderInParts(other, pause)])).toEqual([wholeOf(page), wholeOf(other)]);
});
