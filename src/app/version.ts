import packageJson from '../../package.json' with { type: 'json' };

/** The version of this package. */
export const { version } = packageJson;

/** The oldest Node that runs this package without Bun. */
export const oldestNode = packageJson.engines.node.replace('>=', '');
