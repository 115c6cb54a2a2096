/**
 * What `npm test` runs of the whole program, beside the tests of modules: the stories that a break would show first, in a minute. `npm run test:all`
 * runs every file.
 */
export const stories: readonly (readonly [what: string, ...files: readonly string[]])[] = [
  ['the repository: wings, comments, links, examples', 'architecture', 'comments', 'repository', 'docs', 'examples'],
  ['the program starts, listens, stops and says what is wrong', 'cli', 'lifecycle', 'surface', 'terminal'],
  ["the Node RPC: AvalancheGo's captured answers, states of a transaction, refused calls", 'golden', 'tx-status', 'error-data'],
  ['the Data and Metrics APIs: every route against its schema', 'schemas', 'index-routes'],
  ['developer methods: money, blocks, time, snapshots', 'dev-money', 'dev-blocks', 'dev-time', 'snapshot-tools'],
  ['the library and its client', 'client-methods', 'wallet-kit'],
  ['commands that ask a node', 'completions', 'scripts'],
  ['a page without a browser', 'explorer'],
];

export const storyFiles: readonly string[] = stories.flatMap(([, ...names]) => names.map((name) => `./test/${name}.test.ts`));

/** What `npm test` leaves to `npm run test:all`, printed at its end. */
export const furtherTests = `This was lint, types, the tests of modules, and of the program: ${stories.map(([what]) => what).join('; ')}.
npm run test:all   runs everything that this machine has the servers for: crashes, disks, networks, PostgreSQL, Redis, pages in Chromium, packages
.ci/run            installs the servers and client libraries, and runs everything with the full numbers
npm run proofs     lists the long runs (soak, kills, seeds, fuzzing, mutants) with their last results`;

/**
 * Milliseconds of a test that does not say otherwise. Only a test that never ends shall reach it: a busy machine takes ten times as long as an idle
 * one. Tests whose rounds are set by a variable have a timeout of their own.
 */
export const testTimeout = 300_000;
