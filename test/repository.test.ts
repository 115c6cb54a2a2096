import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { Glob } from 'bun';
import { parse } from 'yaml';
import biome from '../biome.json' with { type: 'json' };
import { targets } from '../tools/release/runtimes.ts';

/** Files for people and services around the code: workflows, issue forms, editor settings. */

type Step = { readonly uses?: string; readonly run?: string; readonly if?: string; readonly with?: Readonly<Record<string, unknown>> };
type Matrix = {
  readonly system: string[];
  readonly node: number[];
  readonly include: { readonly system: string; readonly runner: string }[];
};
type Job = {
  readonly 'runs-on': string;
  readonly 'timeout-minutes': number;
  readonly if?: string;
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: Step[];
  readonly strategy?: { readonly matrix: Matrix };
};
type Workflow = { readonly on: Record<string, unknown>; readonly permissions: unknown; readonly jobs: Readonly<Record<string, Job>> };
type Form = {
  readonly name: string;
  readonly description: string;
  readonly body: { readonly type: string; readonly id?: string; readonly attributes: Record<string, string> }[];
};

const read = (path: string): string => readFileSync(path, 'utf8');
const find = (pattern: string): string[] => [...new Glob(pattern).scanSync({ dot: true })].sort();

describe('.github/workflows', () => {
  const workflows = find('.github/workflows/*.yml').map((path) => [path, parse(read(path)) as Workflow] as const);
  const release = new Map(workflows).get('.github/workflows/release.yml') as Workflow;
  const steps = workflows.flatMap(([, { jobs }]) => Object.values(jobs).flatMap((job) => job.steps));

  test("the README's test command and then all tests run on all systems with Node 22 and 24", () => {
    const [, command = ''] = /```sh\n(.*?) +# runs the tests\n```/.exec(read('README.md')) ?? [];
    const job = workflows.flatMap(([, { jobs }]) => Object.values(jobs)).find((one) => one.steps.some(({ run }) => run === command));
    expect(job?.steps.slice(-2).map(({ run }) => run)).toEqual([command, 'npm run test:all']);
    const matrix = job?.strategy?.matrix as Matrix;
    expect(matrix.system).toEqual(['Linux x64', 'Linux arm64', 'macOS', 'Windows']);
    expect(matrix.node).toEqual([22, 24]);
    expect(matrix.include.map(({ system }) => system)).toEqual(matrix.system);
    expect(matrix.include.map(({ runner }) => runner)).toEqual([
      expect.stringMatching(/^ubuntu-[\d.]+$/),
      expect.stringMatching(/^ubuntu-[\d.]+-arm$/),
      expect.stringMatching(/^macos-/),
      expect.stringMatching(/^windows-/),
    ]);
    expect(job?.steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'))?.with?.['node-version']).toMatch(
      /^\$\{\{ matrix\.node \}\}$/,
    );
  });

  test.each(workflows)('%s runs for pull requests, may only read, and ends', (_, { on, permissions, jobs }) => {
    expect(Object.keys(on)).toContain('pull_request');
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  test('only jobs for a tag may write, and these come after those that try what is published', () => {
    const { jobs } = release;
    const reach = (job: Job): Job[] => (job.needs === undefined ? [job] : [job, ...reach(jobs[job.needs] as Job)]);
    const writing = Object.values(jobs).filter(({ permissions = {} }) => Object.values(permissions).includes('write'));
    expect(writing.length).toBe(3);
    for (const job of writing) {
      expect(reach(job).some((one) => one.if === "github.ref_type == 'tag'")).toBe(true);
      expect(reach(job)).toEqual(expect.arrayContaining([jobs.build as Job, jobs.try as Job]));
    }
    for (const [path, workflow] of workflows)
      if (!path.endsWith('/release.yml'))
        for (const job of Object.values(workflow.jobs)) expect([path, job.permissions]).toEqual([path, undefined]);
  });

  test('the release workflow calls the command of docs/understand/releasing.md, and what it publishes has provenance', () => {
    const { jobs } = release;
    const runs = (name: string) => (jobs[name] as Job).steps.map(({ run = '' }) => run).join('\n');
    const [, command = ''] = /^npm ci\n(npm run release .*)$/m.exec(read('docs/understand/releasing.md')) ?? [];
    expect(command).toContain('--dry-run');
    expect(runs('build')).toContain(command);
    expect((jobs.build as Job).steps.find(({ run }) => run === command)?.if).toBe("github.ref_type != 'tag'");
    expect(runs('build')).toContain('npm audit signatures');
    expect(runs('publish')).toContain('--provenance');
    expect(runs('image')).toContain('--provenance=mode=max');
    expect((jobs.publish as Job).steps.map(({ uses }) => uses)).toContainEqual(expect.stringMatching(/^actions\/attest-build-provenance@/));
    // Every executable is run on its own system: that of the first job there, the others in the second.
    const tried = (jobs.try as Job).strategy?.matrix.include.map((row) => (row as unknown as { target: string }).target) ?? [];
    expect(['linux-x64', ...tried].sort()).toEqual(targets.map(({ name }) => name).sort());
    // Text of a pull request or a tag must not become part of a script.
    for (const { run = '' } of steps) expect(run.match(/\$\{\{(?! matrix\.\w+ \}\})/g)).toBeNull();
  });

  test("commands are npm's or files that can be executed, and actions have a version", () => {
    for (const { run, uses } of steps) {
      if (uses?.startsWith('./')) expect([uses, existsSync(`${uses}/action.yml`)]).toEqual([uses, true]);
      else if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/);
      for (const command of run?.split(' && ') ?? []) {
        const [program = ''] = command.split(' ');
        if (!['npm', 'gh', 'docker'].includes(program))
          expect([program, existsSync(program) && (statSync(program).mode & 0o111) !== 0]).toEqual([program, true]);
      }
    }
    expect(steps.flatMap(({ run = [] }) => run)).toContain('.ci/run');
  });
});

describe('.github', () => {
  const forms = find('.github/ISSUE_TEMPLATE/*.yml').filter((path) => !path.endsWith('config.yml'));

  test.each(forms)('%s is an issue form', (path) => {
    const { name, description, body } = parse(read(path)) as Form;
    expect([typeof name, typeof description]).toEqual(['string', 'string']);
    const fields = body.filter(({ type }) => type !== 'markdown');
    for (const { type, attributes } of fields)
      expect([['input', 'textarea'].includes(type), typeof attributes.label]).toEqual([true, 'string']);
    expect(fields.length).toBeGreaterThan(1);
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
  });

  test('there are forms for bugs and wishes, and a template for pull requests', () => {
    expect(forms.length).toBe(2);
    expect(read('.github/pull_request_template.md')).toContain('npm test');
  });
});

test('.editorconfig has the settings of Biome', () => {
  const sections = new Map(
    read('.editorconfig')
      .split(/^\[/m)
      .map((section) => [
        section.split(']\n')[0],
        Object.fromEntries([...section.matchAll(/^(\w+) = (.*)$/gm)].map(([, key, value]) => [key, value])),
      ]),
  );
  const { indentStyle, indentWidth, lineWidth } = biome.formatter;
  expect(sections.get('*')).toMatchObject({
    indent_style: indentStyle,
    indent_size: `${indentWidth}`,
    end_of_line: 'lf',
    insert_final_newline: 'true',
  });
  expect(sections.get('*.{ts,tsx,js,json,css}')).toEqual({ max_line_length: `${lineWidth}` });
});

test('the times of test files and the changes that no test noticed name files that exist', () => {
  const { files } = JSON.parse(read('test/timings.json')) as { readonly files: Readonly<Record<string, number>> };
  const notNoticed = read('test/proofs/mutants.json').match(/\bsrc\/[\w./-]+\.tsx?/g) ?? [];
  expect(Object.keys(files).length).toBeGreaterThan(500);
  expect([...Object.keys(files), ...notNoticed].filter((file) => !existsSync(file))).toEqual([]);
});
