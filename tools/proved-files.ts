import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { memoize } from '../src/base/cache/memoize.ts';

/**
 * Which test files a run of `npm test` has proved, so that `.ci/run` does not run them again with the servers: those whose tests all passed, and
 * which would do the same there.
 */
export function listProvedFiles(root: string, log: string): ReadonlySet<string> {
  const isSame = createSameCheck(root);
  return new Set([...listPassedFiles(log)].filter((file) => existsSync(join(root, file)) && isSame(file)));
}

/** Files of a log of `bun test` of which a test passed and none failed or was skipped. */
export function listPassedFiles(log: string): ReadonlySet<string> {
  const [passed, others] = [new Set<string>(), new Set<string>()];
  let file = '';
  // At its end Bun lists failed and skipped tests again, without their files.
  for (const line of log.split(/^\d+ tests? (?:failed|skipped):$/m)[0]?.split('\n') ?? []) {
    const [, name] = /^(\S+\.test\.ts):$/.exec(line) ?? [];
    if (name !== undefined) file = name;
    else if (line.startsWith('(pass)')) passed.add(file);
    else if (/^\((?:fail|skip|todo)\)/.test(line)) others.add(file);
  }
  return new Set([...passed].filter((name) => !others.has(name)));
}

/** What makes a test do something else where servers are installed or variables are set. The built program is the same. */
const dependsOnMachine = /process\.env\.(?!SERAC_TEST_PROGRAM\b)|\} = process\.env|Bun\.(?:which\(|env\b)/;

/** Returns a function that says whether a test file, with all test code that it imports, does the same with servers and variables. */
function createSameCheck(root: string): (file: string) => boolean {
  const transpiler = new Bun.Transpiler({ loader: 'ts' });
  const read = memoize((file: string) => {
    const text = readFileSync(join(root, file), 'utf8');
    const testCode = transpiler
      .scanImports(text)
      .filter(({ path }) => /^\..*\.ts$/.test(path))
      .map(({ path }) => relative(root, resolve(root, dirname(file), path)))
      // The code of the program reads variables only where it starts, which a test does not change.
      .filter((path) => !path.startsWith('src/') || /\.(?:test|fixture)\.ts$/.test(path));
    return { isSame: !dependsOnMachine.test(text), testCode };
  });
  return (start) => {
    // Grows while it is walked through.
    const reached = new Set([start]);
    for (const file of reached) {
      const { isSame, testCode } = read(file);
      if (!isSame) return false;
      for (const path of testCode) reached.add(path);
    }
    return true;
  };
}
