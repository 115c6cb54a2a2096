import { expect, test } from 'bun:test';
import { createConfirm } from './confirm.ts';

/** Asks a question whose answer is typed in these pieces; returns the answer and what was shown. */
async function ask(pieces: readonly string[], isTTY = true): Promise<readonly [boolean | undefined, string]> {
  let shown = '';
  async function* type() {
    for (const piece of pieces) yield new TextEncoder().encode(piece);
    // A terminal sends nothing until the next key.
    if (pieces.some((piece) => piece.includes('\n'))) await new Promise(() => {});
  }
  const confirm = createConfirm(Object.assign(type(), { isTTY }), { write: (text) => (shown += text) });
  return [await confirm('Go on?'), shown];
}

test('yes is typed; everything else is no, also nothing and too much', async () => {
  for (const typed of [['y\n'], ['Yes\n'], [' y', 'es \r\n']]) expect(await ask(typed)).toEqual([true, 'Go on? [y/N] ']);
  for (const typed of [['\n'], ['n\n'], ['yellow\n'], [], ['y'.repeat(200)]]) expect((await ask(typed))[0]).toBe(false);
});

test('without a terminal nobody is asked', async () => {
  expect(await ask(['y\n'], false)).toEqual([undefined, '']);
});
