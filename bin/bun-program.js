import { accessSync, closeSync, constants, existsSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const isWindows = process.platform === 'win32';

/**
 * Finds Bun in node_modules of a folder and of all its parents, to which a package manager may hoist it; the nearest first. Bun's
 * install script moves the program from its platform package to bun.exe (its name on every system); without install scripts it stays in the
 * platform package. Yarn 1 installs the platform packages of both C libraries: that of this Node's comes first.
 */
export function findBuns(home) {
  const programs = [];
  for (let up = home; ; up = dirname(up)) {
    const modules = join(up, 'node_modules');
    const own = join(modules, 'bun');
    // pnpm links packages: the platform package is beside the real folder of `bun`.
    const scopes = existsSync(own) ? [modules, dirname(realpathSync(own))] : [modules];
    const platformPrograms = scopes.flatMap((folder) =>
      listFolder(join(folder, '@oven'))
        .filter((name) => name.startsWith('bun-'))
        .map((name) => join(folder, '@oven', name, 'bin', isWindows ? 'bun.exe' : 'bun')),
    );
    const existing = [...platformPrograms, join(own, 'bin', 'bun.exe')].filter((file) => existsSync(file));
    const { loader } = existing.length > 1 ? readProgramHeader(process.execPath) : {};
    const isOfThisLibrary = (file) => (loader !== undefined && readProgramHeader(file).loader === loader ? 0 : 1);
    programs.push(...existing.sort((a, b) => isOfThisLibrary(a) - isOfThisLibrary(b)));
    if (dirname(up) === up) return programs;
  }
}

/**
 * Says why this system cannot run a program; undefined if it can. Asked before the program is run, because a failed `process.execve` ends
 * this process with a stack trace. On Linux the reasons are in the first bytes of the program, elsewhere only its permission is checked.
 */
export function describeProblem(program) {
  try {
    accessSync(program, constants.X_OK);
    if (process.platform !== 'linux') return undefined;
    const { machine, loader } = readProgramHeader(program);
    if (machine !== undefined && machine !== readProgramHeader(process.execPath).machine) return 'it is for another processor';
    if (loader !== undefined && !existsSync(loader))
      return `it is for another C library: it needs ${loader}, which this system does not have`;
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** The processor (`e_machine`) and the loader of its C library that a 64-bit ELF file names; empty for a script or another kind of file. */
function readProgramHeader(file) {
  const descriptor = openSync(file);
  const read = (length, position) => {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
  };
  try {
    const header = read(64, 0);
    if (header.length < 64 || header.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return {};
    const machine = header.readUInt16LE(18);
    const [size, count] = [header.readUInt16LE(54), header.readUInt16LE(56)];
    const segments = read(size * count, Number(header.readBigUInt64LE(32)));
    for (let at = 0; at + size <= segments.length; at += size) {
      // PT_INTERP: the path of the loader.
      if (segments.readUInt32LE(at) !== 3) continue;
      const path = read(Math.min(256, Number(segments.readBigUInt64LE(at + 32))), Number(segments.readBigUInt64LE(at + 8)));
      return { machine, loader: path.toString('utf8').replace(/\0.*$/s, '') };
    }
    return { machine };
  } finally {
    closeSync(descriptor);
  }
}

function listFolder(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
