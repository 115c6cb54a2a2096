import packageJson from '../../package.json' with { type: 'json' };

/**
 * The folder of the program's files: src/ in a clone, dist/ in the package. Files of both have the same paths below it. This file is one folder
 * deep, and so is every file of dist/ that may contain it (tools/build.ts).
 */
export const home = new URL('../', import.meta.url);

/** The ending of source files: `ts` in a clone, `js` in the package. */
export const moduleExtension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** The version of this package. */
export const { version } = packageJson;

/** The oldest Node that runs this package without Bun. */
export const oldestNode = packageJson.engines.node.replace('>=', '');
