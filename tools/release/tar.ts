/** A file of an archive. */
export type TarEntry = { readonly path: string; readonly bytes: Uint8Array; readonly isExecutable?: boolean };

const blockSize = 512;
/** All files have the same date, that of npm's tarballs: 1985-10-26, so that equal files give equal archives. */
const modified = 499_162_500;

/** An archive in the format ustar: the same bytes for the same entries, in the order given. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({ path, bytes, isExecutable = false }) => [
    writeHeader(path, bytes.length, isExecutable ? 0o755 : 0o644),
    bytes,
    Buffer.alloc(-bytes.length & (blockSize - 1)),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * blockSize)]);
}

function writeHeader(path: string, size: number, mode: number): Buffer {
  const header = Buffer.alloc(blockSize);
  const { prefix, name } = splitPath(path);
  const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0');
  header.write(name, 0);
  header.write(octal(mode, 8), 100);
  // Owner and group: root.
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(modified, 12), 136);
  // A sum is computed as if its own field were blank.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(prefix, 345);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )}\0`,
    148,
  );
  return header;
}

/** A path longer than 100 bytes is divided at a slash. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  const at = path.indexOf('/', path.length - 101);
  if (at === -1 || at > 155) throw new Error(`the path ${path} is too long for an archive`);
  return { prefix: path.slice(0, at), name: path.slice(at + 1) };
}
