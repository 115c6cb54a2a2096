import { readdirSync, rmSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { BunPlugin } from 'bun';
import { buildDocs } from '../src/app/platform/docs-build.ts';
import { docsFile, writeDocsFile } from '../src/app/platform/docs-files.ts';
import { buildPage } from '../src/app/platform/page-build.ts';
import { pageFile, writePageFile } from '../src/app/platform/page-files.ts';
import { withoutBuilders } from './build.ts';

/**
 * Builds a single-file executable: Bun, the program, the genesis data, the documentation and the native key recovery. Usage: bun tools/build-executable.ts [FILE].
 * The command builds for this system; tools/release builds for others, with the Bun of their package.
 */

const root = resolve(import.meta.dir, '..');
const source = join(root, 'src');

/** The system that an executable is for, and the Bun that it contains. */
export type Runtime = {
  readonly platform: string;
  readonly arch: string;
  /** The path of Bun's program for that system. */
  readonly program: string;
};

const thisRuntime: Runtime = { platform: process.platform, arch: process.arch, program: process.execPath };

/** The prebuilt addon of `secp256k1` for a system; undefined if the package has none: then its JavaScript is used. */
function findAddon({ platform, arch }: Runtime): string | undefined {
  const folder = join(root, 'node_modules/secp256k1/prebuilds', `${platform}-${arch}`);
  try {
    // Linux has one per C library; a Bun for glibc cannot load the other.
    const files = readdirSync(folder).filter((file) => file.endsWith('.node'));
    const name = files.find((file) => file.includes('.glibc.')) ?? files[0];
    return name === undefined ? undefined : join(folder, name);
  } catch {
    return undefined;
  }
}

/** Makes `secp256k1` load the given addon directly. It searches the disk for it, which an executable in an empty folder cannot do. */
const embedAddon = (addon: string | undefined): BunPlugin => ({
  name: 'embed-addon',
  setup: (build) => {
    build.onLoad({ filter: /secp256k1[/\\]index\.js$/ }, () => ({
      loader: 'js',
      contents:
        addon === undefined
          ? "module.exports = require('./elliptic')"
          : `const addon = require(${JSON.stringify(addon)}); module.exports = require('./lib')(new addon.Secp256k1())`,
    }));
  },
});

/** All scripts of an executable are one file beside the folders of the data, not a folder deeper (src/app/home.ts). */
const homeOfExecutable: BunPlugin = {
  name: 'home of the executable',
  setup: (build) => {
    build.onLoad({ filter: /[/\\]app[/\\]home\.ts$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text()).replace("new URL('../'", "new URL('./'"),
      loader: 'ts',
    }));
  },
};

/** Embeds the genesis data, the built page and the documentation as files, at the same paths relative to the program as in src/. */
const embedData: BunPlugin = {
  name: 'embed-data',
  setup: (build) => {
    build.onLoad({ filter: /(genesis[/\\]data|explorer[/\\]assets)[/\\]/ }, async ({ path }) => ({
      loader: 'file',
      contents: await Bun.file(path).bytes(),
    }));
  },
};

/** Builds the executable for a system, this one by default; says whether it recovers keys natively. */
export async function buildExecutable(outfile: string, runtime = thisRuntime): Promise<{ readonly isNative: boolean }> {
  rmSync(outfile, { force: true });
  const addon = findAddon(runtime);
  const page = join(source, pageFile);
  writePageFile(page, await buildPage('package'));
  const docs = join(source, docsFile);
  writeDocsFile(docs, await buildDocs({ isServed: true }));
  const data = [...['local.json', 'fuji.bin', 'mainnet.bin'].map((file) => join(source, 'avm/genesis/data', file)), page, docs];
  await Bun.build({
    entrypoints: [join(source, 'cli/main.ts'), join(source, 'chain/recovery/recovery-thread.ts'), ...data],
    root: source,
    target: 'bun',
    minify: { whitespace: true, syntax: true, identifiers: false },
    naming: { entry: '[dir]/[name].[ext]', asset: '[dir]/[name].[ext]' },
    plugins: [embedAddon(addon), homeOfExecutable, embedData, withoutBuilders],
    compile: {
      outfile,
      // Bun calls Windows by another name than Node.
      target: `bun-${runtime.platform.replace('win32', 'windows')}-${runtime.arch}` as Bun.Build.CompileTarget,
      executablePath: runtime.program,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  rmSync(dirname(page), { recursive: true });
  return { isNative: addon !== undefined };
}

if (import.meta.main) {
  const outfile = resolve(process.argv[2] ?? join(root, 'dist-executable', platform() === 'win32' ? 'serac.exe' : 'serac'));
  const { isNative } = await buildExecutable(outfile);
  const megabytes = (statSync(outfile).size / 1e6).toFixed(1);
  process.stdout.write(`${outfile}: ${megabytes} MB, key recovery ${isNative ? 'native' : 'in JavaScript'}\n`);
}
