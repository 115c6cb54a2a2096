import { setDefaultTimeout } from 'bun:test';

// Loaded before the tests (bunfig.toml), for a file that is run by itself. Bun forgets it after the first file of a process, so `npm test` says
// it with an option, which has no place in bunfig.toml. Only a test that never ends shall reach it: a busy machine takes ten times as long as
// an idle one. Tests whose rounds are set by a variable have a timeout of their own.
setDefaultTimeout(300_000);
