// The program and the library in one file, which Bun runs (tools/build.ts). Each part is loaded without the others.
module.exports = {
  runProgram: () => void require('./main.ts'),
  loadLibrary: () => require('../sdk/index.ts'),
  /** For client.cjs, which has no YAML parser: only commands with settings in YAML need one. */
  parse: (text) => require('yaml').parse(text),
};
