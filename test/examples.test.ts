import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { type Program, startProgram } from './program.ts';

/** Every example in the documentation, run as it stands but for the port, and its answer compared. */

const root = new URL('..', import.meta.url).pathname;
const pages = ['README.md', ...new Glob('docs/*.md').scanSync(root)];
const examples = (
  await Promise.all(
    pages.map(async (page) => {
      const text = await Bun.file(root + page).text();
      return [...text.matchAll(/```sh\n(curl [^`]*)```\n```json\n([^`]*)```/g)].map(([, command, answer]) => ({
        page,
        command: command!,
        answer: answer!,
      }));
    }),
  )
).flat();

let node: Program;
beforeAll(async () => {
  node = await startProgram();
});
afterAll(() => node.stop());

for (const { page, command, answer } of examples)
  test(`${page}: ${/"method":"([^"]*)"/.exec(command)?.[1]}`, async () => {
    const child = Bun.spawn(['sh', '-c', command.replaceAll(':9650', `:${node.port}`)], { stdout: 'pipe' });
    expect(await new Response(child.stdout).text()).toBe(answer);
  });

test('each page that has examples was found', () => {
  expect(new Set(examples.map(({ page }) => page))).toEqual(new Set(['README.md', 'docs/methods.md', 'docs/errors.md']));
});
