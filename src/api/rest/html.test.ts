import { expect, test } from 'bun:test';
import { html } from './html.ts';

test('html escapes inserted strings', () => {
  expect(html`<p title="${'"\''}">${'<&>'}${3}${undefined}${[html`<b>`, html`${'<'}`]}</p>`.html).toBe(
    '<p title="&quot;&#39;">&lt;&amp;&gt;3<b>&lt;</p>',
  );
});
