// The program and the library in one file, which Bun runs (tools/build.ts). Each part is loaded without the others.
module.exports = {
  runProgram: () => void require('./main.ts'),
  loadLibrary: () => require('../sdk/index.ts'),
  /** For a command of client.cjs that has settings in YAML. */
  parse: (text) => require('yaml').parse(text),
};
