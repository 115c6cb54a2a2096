// The program when Bun starts it; the library when a module requires it (tools/build.ts). Each is loaded without the other.
if (require.main === module) require('./main.ts');
else module.exports = require('../sdk/index.ts');
