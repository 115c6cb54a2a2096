import packageJson from '../../package.json' with { type: 'json' };

/**
 * Where a dependency ends up. `installed`: npm installs it with Serac, and executables contain it. `bundled`: its code is inside `dist/` and
 * executables. `development`: only the build, the checks and the tests use it; nothing of it is published.
 */
export type DependencyUse = 'installed' | 'bundled' | 'development';

type DependencyRow = { readonly use: DependencyUse; readonly why: string };
type DirectDependency = keyof typeof packageJson.dependencies | keyof typeof packageJson.devDependencies;

/** Why each direct dependency is there. A dependency of package.json without a row does not compile. */
export const dependencyTable: Readonly<Record<DirectDependency, DependencyRow>> = {
  bun: {
    use: 'installed',
    why: 'The runtime: HTTP server, SQLite, PostgreSQL and Redis clients, bundler, test runner ([why](decisions/bun.md)).',
  },
  secp256k1: {
    use: 'installed',
    why: 'Recovers signers natively, where the system has no libsecp256k1 ([why](decisions/signature-recovery.md)).',
  },
  '@noble/curves': { use: 'bundled', why: 'secp256k1 in JavaScript: signatures in browsers, keys of accounts.' },
  '@noble/hashes': { use: 'bundled', why: 'Hashes that browsers lack (RIPEMD-160, synchronous SHA-256), and those of mnemonics.' },
  '@scure/base': { use: 'bundled', why: 'Bech32 and Base58.' },
  '@scure/bip39': { use: 'bundled', why: 'Checks mnemonics of accounts, with the English word list.' },
  preact: { use: 'bundled', why: "The explorer's pages, on the server and in the browser." },
  'preact-render-to-string': { use: 'bundled', why: 'Renders these pages to HTML, so that they work without script.' },
  yaml: { use: 'bundled', why: 'Reads YAML configuration files where Serac runs on Node; Bun has a parser of its own.' },
  '@biomejs/biome': { use: 'development', why: 'Formatter and linter.' },
  '@types/bun': { use: 'development', why: 'Types of Bun and Node.' },
  '@types/secp256k1': { use: 'development', why: 'Types of `secp256k1`.' },
  'axe-core': { use: 'development', why: 'Finds pages that people with a screen reader cannot use; runs in the tests only.' },
  'fast-check': { use: 'development', why: 'Random inputs for tests, reduced to the smallest one that fails.' },
  typescript: { use: 'development', why: 'Checks types, and writes the declarations of the library.' },
};

/** The direct dependencies whose code is published. */
export const publishedDependencies = (Object.keys(dependencyTable) as DirectDependency[]).filter(
  (name) => dependencyTable[name].use !== 'development',
);
